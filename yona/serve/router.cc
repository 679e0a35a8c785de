#include "yona/serve/router.h"

#include <algorithm>

namespace yona::serve {

namespace {

bool matches(const Route& route, std::string_view path) {
  const std::string_view pattern = route.path;
  return pattern.ends_with("/*") ? path.starts_with(pattern.substr(0, pattern.size() - 1))
                                 : path == pattern;
}

// The methods of a path, for the header Allow.
std::string methods_of(const std::vector<Route>& routes, const std::string& path) {
  std::string methods;
  for (const Route& route : routes) {
    if (matches(route, path)) {
      methods += (methods.empty() ? "" : ", ") + route.method;
    }
  }
  return methods;
}

// What a path takes; also what a browser asks before a page of another server may (--allow-origin).
HttpResponse options_response(const std::string& methods) {
  return {.status = 204,
          .headers = {{"Allow", methods},
                      {"Access-Control-Allow-Methods", methods},
                      {"Access-Control-Allow-Headers", "Authorization, Content-Type, X-Api-Key"},
                      {"Access-Control-Max-Age", "86400"}}};
}

}  // namespace

void Router::add(std::vector<Route> routes) {
  std::move(routes.begin(), routes.end(), std::back_inserter(routes_));
}

const Route* Router::find(std::string_view method, std::string_view path) const {
  const auto found = std::find_if(routes_.begin(), routes_.end(), [&](const Route& route) {
    return route.method == method && matches(route, path);
  });
  return found == routes_.end() ? nullptr : &*found;
}

void Router::handle(const std::shared_ptr<Exchange>& exchange) const {
  const HttpRequest& request = exchange->request();
  if (const Route* route = find(request.method, request.path)) {
    try {
      route->handler(exchange);
    } catch (...) {
      exchange->respond(route->error(std::current_exception()));
    }
    return;
  }
  const std::string methods = methods_of(routes_, request.path);
  if (methods.empty()) {
    exchange->respond(error_response(
        404, fmt::format("there is no {}; /openapi.json lists what there is", request.path)));
    return;
  }
  if (request.method == "OPTIONS") {
    exchange->respond(options_response(methods));
    return;
  }
  HttpResponse response = error_response(
      405, fmt::format("{} does not take {}; it takes {}", request.path, request.method, methods));
  response.headers.emplace_back("Allow", methods);
  exchange->respond(std::move(response));
}

}  // namespace yona::serve
