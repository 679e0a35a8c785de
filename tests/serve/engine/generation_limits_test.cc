#include "yona/serve/engine/generation_limits.h"

#include <gtest/gtest.h>

namespace yona::serve {
namespace {

TEST(GenerationLimits, SizeTheCacheByMemoryAndByWhatAnswersCanUse) {
  const CausalLmConfig gpt2 = causal_lm_preset("gpt2-small");
  EXPECT_EQ(cache_bytes_of_token(gpt2, 4), 12 * 2 * 768 * 4);
  GenerationLimits limits;
  limits.cache_bytes = std::int64_t{1} << 30;
  limits.answers = 32;
  EXPECT_EQ(cache_tokens_of(gpt2, limits, 4), (std::int64_t{1} << 30) / (12 * 2 * 768 * 4));
  limits.answers = 2;
  EXPECT_EQ(cache_tokens_of(gpt2, limits, 4), 2 * 1024);
  limits.cache_bytes = 1;
  EXPECT_EQ(cache_tokens_of(gpt2, limits, 4), 1);
}

TEST(GenerationLimits, CountTheHeadsOfKeysAlone) {
  CausalLmConfig config;
  config.layers = 3;
  config.heads = 8;
  config.kv_heads = 2;
  config.head_size = 16;
  EXPECT_EQ(cache_bytes_of_token(config, 2), 3 * 2 * 2 * 16 * 2);
}

}  // namespace
}  // namespace yona::serve
