// The whole of what the server answers: all routes over one service, counted, with their
// description at /openapi.json and their figures at /metrics.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "yona/serve/api_host.h"
#include "yona/serve/metrics.h"
#include "yona/serve/router.h"

namespace yona::serve {

class Application {
 public:
  // `figures` gives more lines for /metrics. With a page folder the page is read from there.
  Application(const ApiHost& host, const std::filesystem::path& page_folder,
              std::function<std::string()> figures);

  const Router& router() const { return router_; }
  // For HttpServer: its handler, and its turnstile. While the queue is full, what would wait there
  // is refused with 503.
  void handle(const std::shared_ptr<Exchange>& exchange);
  const HttpResponse* turn_away(std::string_view method, std::string_view path);

 private:
  bool is_full(Queue queue) const;

  ApiHost host_;
  Metrics metrics_;
  std::function<std::string()> figures_;
  Router router_;
};

}  // namespace yona::serve
