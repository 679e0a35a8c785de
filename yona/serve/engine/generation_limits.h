// What a language model of the server may use, and what it takes on.
#pragma once

#include <chrono>
#include <cstdint>

#include "yona/models/causal_lm_config.h"

namespace yona::serve {

struct GenerationLimits {
  std::int64_t cache_bytes = std::int64_t{1} << 30;  // of a model's KV cache
  std::int64_t answers = 32;                         // under way at once, of a model
  std::int64_t new_tokens = 1024;                    // of an answer where none are asked for
  std::int64_t work = std::int64_t{1} << 20;         // prompt and new tokens of a request
  std::int64_t queue_tokens = 1 << 18;               // of prompts that wait
  std::chrono::duration<double> longest_wait{2};     // until a request is begun
};

// Bytes that a token takes in the KV cache.
std::int64_t cache_bytes_of_token(const CausalLmConfig& config, std::int64_t number_bytes);

// Tokens that the cache has room for: as many as `answers` contexts have at most, and at least one.
std::int64_t cache_tokens_of(const CausalLmConfig& config, const GenerationLimits& limits,
                             std::int64_t number_bytes);

}  // namespace yona::serve
