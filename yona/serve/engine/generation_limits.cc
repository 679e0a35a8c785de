#include "yona/serve/engine/generation_limits.h"

#include <algorithm>

namespace yona::serve {

std::int64_t cache_bytes_of_token(const CausalLmConfig& config, std::int64_t number_bytes) {
  const HeadShape heads = config.head_shape();
  return config.layers * (heads.keys() + heads.values()) * number_bytes;
}

std::int64_t cache_tokens_of(const CausalLmConfig& config, const GenerationLimits& limits,
                             std::int64_t number_bytes) {
  const std::int64_t most = limits.cache_bytes / cache_bytes_of_token(config, number_bytes);
  return std::clamp<std::int64_t>(limits.answers * config.max_positions, 1,
                                  std::max<std::int64_t>(1, most));
}

}  // namespace yona::serve
