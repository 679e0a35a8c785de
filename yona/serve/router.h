// Which request is whose: a table of methods and paths, each with what it does, which fields it
// takes and which it gives. The description at /openapi.json is made from the same table.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "yona/serve/fields.h"
#include "yona/serve/http.h"

namespace yona::serve {

// Where a request waits to be computed; it is refused while that queue is full, before its body is
// read. translation_or_generation: the body tells which, so it is read unless both are full.
enum class Queue : std::uint8_t {
  none,
  translation,
  generation,
  translation_or_generation,
  encoding
};

struct Route {
  std::string method;  // "GET" or "POST"
  std::string path;    // "/v1/models"; "/page/*" is everything below
  std::string summary;
  Fields takes{};  // of a POST's body
  Fields gives{};  // of the answer's object; of each item where it is a list
  bool gives_list = false;
  std::string content_type = "application/json";
  Queue queue = Queue::none;
  std::vector<int> statuses{};  // of errors besides those that follow from the above
  Fields error_gives = {{"error", FieldType::text, "what is wrong, in one sentence"}};
  std::function<HttpResponse(const std::exception_ptr&)> error = response_of;
  std::function<void(const std::shared_ptr<Exchange>&)> handler{};
};

class Router {
 public:
  void add(Route route) { routes_.push_back(std::move(route)); }
  void add(std::vector<Route> routes);
  const std::vector<Route>& routes() const { return routes_; }

  // Calls the handler, or answers OPTIONS, 404 or 405. What the handler throws is answered too.
  void handle(const std::shared_ptr<Exchange>& exchange) const;
  // The route of a request; null: there is none.
  const Route* find(std::string_view method, std::string_view path) const;

 private:
  std::vector<Route> routes_;
};

}  // namespace yona::serve
