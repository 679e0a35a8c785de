// Limits of a language model in the server: memory, running answers, size of requests.
#pragma once

#include <chrono>
#include <cstdint>

#include "yona/models/causal_lm_config.h"

namespace yona::serve {

struct GenerationLimits {
  std::int64_t cache_bytes = std::int64_t{1} << 30;  // of a model's KV cache
  std::int64_t answers = 32;                         // of a model that run at once; and
  std::int64_t small_answers = 8;                    // this many more, of small requests alone
  std::int64_t small_work = 512;                     // prompt and new tokens of a small request
  std::int64_t new_tokens = 1024;                    // of an answer, if the request names none
  std::int64_t work = std::int64_t{1} << 20;         // prompt and new tokens of a request
  std::int64_t explained_tokens = 256;               // of a prompt of which a step is explained
  std::int64_t queue_tokens = 1 << 18;               // of prompts that wait
  std::chrono::duration<double> longest_wait{2};     // until a request starts
};

// Bytes that a token takes in the KV cache.
std::int64_t cache_bytes_of_token(const CausalLmConfig& config, std::int64_t number_bytes);

// Tokens that the cache has room for: what all answers may have at most, and at least one. Requests
// that are not small use `large` of them.
struct CacheShares {
  std::int64_t all = 0, large = 0;
};
CacheShares cache_shares(const CausalLmConfig& config, const GenerationLimits& limits,
                         std::int64_t number_bytes);

}  // namespace yona::serve
