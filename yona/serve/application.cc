#include "yona/serve/application.h"

#include "yona/serve/encoder_api.h"
#include "yona/serve/libretranslate_api.h"
#include "yona/serve/libretranslate_frontend.h"
#include "yona/serve/native_api.h"
#include "yona/serve/openai_answer.h"
#include "yona/serve/openai_api.h"
#include "yona/serve/openapi.h"
#include "yona/serve/pages.h"

namespace yona::serve {

Application::Application(const ApiHost& host, const std::filesystem::path& page_folder,
                         std::function<std::string()> figures)
    : host_(host), figures_(std::move(figures)) {
  router_.add(libretranslate_routes(host_));
  router_.add(libretranslate_frontend_routes(host_));
  router_.add(native_routes(host_));
  if (host_.generation != nullptr) {
    router_.add(openai_routes(host_));
  }
  if (host_.encoding != nullptr) {
    router_.add(encoder_routes(host_));
  }
  router_.add({.method = "GET",
               .path = "/metrics",
               .summary = "Figures for Prometheus.",
               .content_type = "text/plain",
               .handler = [this](const std::shared_ptr<Exchange>& exchange) {
                 exchange->respond({.content_type = "text/plain; version=0.0.4; charset=utf-8",
                                    .body = metrics_.text() + figures_()});
               }});
  router_.add({.method = "GET",
               .path = "/openapi.json",
               .summary = "This description.",
               .handler = [this](const std::shared_ptr<Exchange>& exchange) {
                 exchange->respond(json_response(openapi_description(router_)));
               }});
  router_.add(page_routes(page_folder));
}

void Application::handle(const std::shared_ptr<Exchange>& exchange) {
  const HttpRequest& request = exchange->request();
  const Route* route = router_.find(request.method, request.path);
  router_.handle(serve::counted(exchange, route != nullptr ? route->path : "other", metrics_));
}

bool Application::is_full(Queue queue) const {
  switch (queue) {
    case Queue::none:
      return false;
    case Queue::translation:
      return host_.service.is_full();
    case Queue::generation:
      return host_.generation->is_full();
    case Queue::translation_or_generation:
      return is_full(Queue::translation) &&
             (host_.generation == nullptr || is_full(Queue::generation));
    case Queue::encoding:
      return host_.encoding->is_full();
  }
  return false;
}

const HttpResponse* Application::turn_away(std::string_view method, std::string_view path) {
  const Route* route = router_.find(method, path);
  if (route == nullptr || !is_full(route->queue)) {
    return nullptr;
  }
  static const auto overloaded =
      std::make_exception_ptr(HttpError(503, "the server is overloaded; try again in 1 s", 1));
  static const HttpResponse refusal = response_of(overloaded);
  static const HttpResponse openai_refusal = openai_error(overloaded);
  metrics_.count(route->path, refusal.status, 0);
  const bool is_openai = route->queue == Queue::generation || route->queue == Queue::encoding;
  return is_openai ? &openai_refusal : &refusal;
}

}  // namespace yona::serve
