#include "yona/inspect/prompt_attention.h"

#include <numeric>

#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/temp_dir.h"
#include "tests/harness/toy_lm.h"

namespace yona::testing {
namespace {

TEST(PromptAttention, HasAWeightForEveryTokenBeforeAndNoneForThoseAfter) {
  for (const CausalLmConfig& config : {toy_gpt2(), toy_llama()}) {
    ToyLm toy(config, "cpu");
    const std::vector<AttentionMap> maps =
        prompt_attention(toy.model, shared_backend("cpu"), {1, 2, 3, 4, 5});
    ASSERT_EQ(maps.size(), 2U);
    for (std::size_t layer = 0; layer < maps.size(); ++layer) {
      const AttentionMap& map = maps[layer];
      EXPECT_EQ(map.layer, static_cast<std::int64_t>(layer));
      EXPECT_EQ(map.part, AttentionPart::decoder);
      ASSERT_EQ(map.heads, config.heads);
      for (std::int64_t head = 0; head < map.heads; ++head) {
        for (std::int64_t query = 0; query < 5; ++query) {
          const std::span<const float> row = map.row(head, query);
          EXPECT_NEAR(std::accumulate(row.begin(), row.end(), 0.0), 1.0, 1e-5);
          for (std::int64_t key = query + 1; key < 5; ++key) {
            EXPECT_EQ(row[static_cast<std::size_t>(key)], 0.0F);
          }
        }
      }
    }
  }
}

TEST(PromptAttention, RefusesPromptsThatAreEmptyOrTooLong) {
  ToyLm toy(toy_gpt2(), "cpu");
  const auto message = [&](const std::vector<std::int32_t>& ids) {
    return message_of<InvalidArgument>(
        [&] { prompt_attention(toy.model, shared_backend("cpu"), ids); });
  };
  EXPECT_EQ(message({}), "attention: the prompt is empty");
  EXPECT_EQ(message(std::vector<std::int32_t>(13, 1)),
            "attention: the prompt has 13 tokens; of this model at most 12 are shown");
}

}  // namespace
}  // namespace yona::testing
