// What every API of the server stands on.
#pragma once

#include <chrono>

#include "yona/serve/api_keys.h"
#include "yona/serve/service.h"
#include "yona/serve/texts.h"

namespace yona::serve {

struct ApiHost {
  Service& service;
  ApiKeys& keys;
  TextLimits limits{};
  std::chrono::duration<double> deadline{30};  // of a request
  std::int64_t usual_beam = 4;                 // of searches for alternatives, at least

  // Throws HttpError 503 where a job would be refused anyway: asked before a body is looked at.
  void check_capacity() const {
    if (service.is_full()) {
      throw HttpError(503, "the server has more to do than it can; try again later", 1);
    }
  }
};

}  // namespace yona::serve
