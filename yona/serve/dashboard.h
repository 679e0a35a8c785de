// The dashboard of training: a page with the curves of runs, and the events that it draws.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "yona/serve/http_server.h"
#include "yona/serve/router.h"
#include "yona/serve/run_watch.h"

namespace yona::serve {

// "/" (dashboard.html), "/page/NAME", "/v1/runs", "/v1/watch" and "/v1/runs/NAME/events?from=N".
// The watch must outlive them.
std::vector<Route> dashboard_routes(const RunsPlace& place, RunWatch& watch,
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
