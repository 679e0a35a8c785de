// What every API of the server uses.
#pragma once

#include <chrono>

#include "yona/serve/api_keys.h"
#include "yona/serve/encoder_service.h"
#include "yona/serve/generation_service.h"
#include "yona/serve/service.h"
#include "yona/serve/suggestions.h"
#include "yona/serve/texts.h"

namespace yona::serve {

struct ApiHost {
  Service& service;
  ApiKeys& keys;
  TextLimits limits{};
  std::chrono::duration<double> deadline{30};  // of a request
  std::int64_t usual_beam = 4;                 // of searches for alternatives, at least
  Suggestions* suggestions = nullptr;          // null: none are taken
  GenerationService* generation = nullptr;     // null: no language models
  EncoderService* encoding = nullptr;          // null: no encoders and image classifiers
};

}  // namespace yona::serve
