#include "yona/serve/engine/generation_limits.h"

#include <algorithm>

namespace yona::serve {

std::int64_t cache_bytes_of_token(const CausalLmConfig& config, std::int64_t number_bytes) {
  const HeadShape heads = config.head_shape();
  // Reformer keeps the buckets of a key with it.
  const std::int64_t buckets =
      config.attention == AttentionKind::reformer ? heads.heads * config.attention_sizes.hashes : 0;
  return config.layers * (heads.keys() + heads.values() + buckets) * number_bytes;
}

CacheShares cache_shares(const CausalLmConfig& config, const GenerationLimits& limits,
                         std::int64_t number_bytes) {
  constexpr std::int64_t kSmallPart = 8;  // of a cache that is short
  const std::int64_t most =
      std::max<std::int64_t>(1, limits.cache_bytes / cache_bytes_of_token(config, number_bytes));
  const std::int64_t small =
      limits.small_answers * std::min(config.max_positions, limits.small_work);
  const std::int64_t all = std::min(limits.answers * config.max_positions + small, most);
  return {.all = all, .large = all - std::min(small, all / kSmallPart)};
}

}  // namespace yona::serve
