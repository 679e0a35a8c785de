#include "yona/decode/alignment.h"

#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

TEST(Alignment, LinksEachTargetToItsBestSourceInOrderOfSources) {
  EXPECT_EQ(hard_alignment_text({{0.1F, 0.9F}, {0.8F, 0.2F}, {0.3F, 0.7F}}), "0-1 1-0 1-2");
  EXPECT_EQ(hard_alignment_text({{0.5F, 0.5F}, {0.0F, 0.0F}, {}}), "0-0");
  EXPECT_EQ(hard_alignment_text({}), "");
}

TEST(Alignment, WritesAllWeightsOfATargetBesideEachOther) {
  EXPECT_EQ(soft_alignment_text({{0.25F, 0.75F}, {1.0F, 0.00004F}}), "0.2500,0.7500 1.0000,0.0000");
  EXPECT_EQ(soft_alignment_text({}), "");
}

TEST(Alignment, SumsOverASourceWordAndAveragesOverATargetWord) {
  // Source: "the far|mer </s>"; target: "der bau|er </s>".
  const SoftAlignment tokens{{0.7F, 0.1F, 0.1F, 0.1F},
                             {0.1F, 0.5F, 0.3F, 0.1F},
                             {0.1F, 0.1F, 0.5F, 0.3F},
                             {0.0F, 0.0F, 0.0F, 1.0F}};
  const std::vector<std::int64_t> source{0, 1, 1, -1};
  const std::vector<std::int64_t> target{0, 1, 1, -1};
  const SoftAlignment words = word_alignment(tokens, source, target);
  ASSERT_EQ(words.size(), 2U);
  EXPECT_NEAR(words[0][0], 0.7, 1e-6);
  EXPECT_NEAR(words[0][1], 0.2, 1e-6);
  EXPECT_NEAR(words[1][0], 0.1, 1e-6);
  EXPECT_NEAR(words[1][1], 0.7, 1e-6);
  EXPECT_EQ(hard_alignment_text(words), "0-0 1-1");
  EXPECT_TRUE(word_alignment({}, source, {}).empty());
}

TEST(Alignment, RefusesRowsThatDoNotFit) {
  const std::vector<std::int64_t> one{0};
  const std::vector<std::int64_t> two{0, 1};
  EXPECT_EQ(message_of<InvalidArgument>([&] { word_alignment({{1.0F}}, one, two); }),
            "word_alignment: 1 rows for 2 target tokens");
  EXPECT_EQ(message_of<InvalidArgument>([&] { word_alignment({{1.0F}}, two, one); }),
            "word_alignment: 1 weights for 2 source tokens");
}

}  // namespace
}  // namespace yona::testing
