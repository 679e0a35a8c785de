// The dashboard of training: a page with the curves of runs, and the events that it draws.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "yona/serve/http_server.h"
#include "yona/serve/router.h"

namespace yona::serve {

// Which runs are shown: those of one folder, one of which may be running in this process.
struct RunsPlace {
  std::filesystem::path folder;
  std::string current{};  // its name; empty: none
};

// "/" (dashboard.html), "/page/NAME", "/v1/runs" and "/v1/runs/NAME/events?from=N".
std::vector<Route> dashboard_routes(const RunsPlace& place,
                                    const std::filesystem::path& page_folder);

// Serves the dashboard on a thread of its own until it is destroyed. Throws as HttpServer does.
class Dashboard {
 public:
  Dashboard(const RunsPlace& place, const HttpServerOptions& options,
            const std::filesystem::path& page_folder = "");
  ~Dashboard();
  Dashboard(const Dashboard&) = delete;
  Dashboard& operator=(const Dashboard&) = delete;

  std::uint16_t port() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace yona::serve
