// An HttpServer on a port of its own, running while a test lasts.
#pragma once

#include <thread>

#include "yona/serve/http_server.h"

#include "tests/serve/client.h"

namespace yona::testing {

// Answers with what was asked.
inline void echo(const std::shared_ptr<serve::Exchange>& exchange) {
  const serve::HttpRequest& request = exchange->request();
  exchange->respond(serve::json_response({{"method", request.method},
                                          {"path", request.path},
                                          {"query", request.query},
                                          {"type", request.content_type},
                                          {"client", request.client},
                                          {"body", request.body}}));
}

class RunningServer {
 public:
  explicit RunningServer(serve::HttpServer::Handler handler, serve::HttpServerOptions options = {},
                         serve::HttpServer::Turnstile turnstile = {})
      : server_((options.port = 0, options), std::move(handler), std::move(turnstile)),
        port_(server_.port()),
        thread_([this] { server_.run(); }) {}
  ~RunningServer() { stop(); }
  RunningServer(const RunningServer&) = delete;
  RunningServer& operator=(const RunningServer&) = delete;

  std::uint16_t port() const { return port_; }
  serve::HttpServer& server() { return server_; }
  void stop(std::chrono::milliseconds grace = std::chrono::seconds(5)) {
    if (thread_.joinable()) {
      server_.stop(grace);
      thread_.join();
    }
  }

 private:
  serve::HttpServer server_;
  std::uint16_t port_;
  std::thread thread_;
};

}  // namespace yona::testing
