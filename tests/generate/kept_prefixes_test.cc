#include "yona/generate/kept_prefixes.h"

#include <gtest/gtest.h>

namespace yona {
namespace {

using Ids = std::vector<std::int32_t>;

TEST(KeptPrefixes, FindsTheLongestCommonPrefixAndDropsTheOldestUnused) {
  KeptPrefixes kept;
  EXPECT_EQ(kept.drop_oldest(), std::nullopt);
  kept.keep(10, {1, 2, 3});
  kept.keep(20, {1, 2, 4, 5});
  kept.keep(30, {9});
  EXPECT_FALSE(kept.find(Ids{7, 1}).has_value());
  const auto found = kept.find(Ids{1, 2, 3, 4});
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->first, 10);
  EXPECT_EQ(Ids(found->tokens.begin(), found->tokens.end()), (Ids{1, 2, 3}));
  EXPECT_EQ(kept.find(Ids{1, 2, 4})->first, 20);
  EXPECT_EQ(kept.drop_oldest(), 30);
  EXPECT_EQ(kept.drop_oldest(), 10);
  EXPECT_EQ(kept.drop_oldest(), 20);
  EXPECT_EQ(kept.size(), 0U);
}

TEST(KeptPrefixes, CountsTokensInCommonAtTheFront) {
  EXPECT_EQ(common_prefix(Ids{}, Ids{1}), 0);
  EXPECT_EQ(common_prefix(Ids{1, 2}, Ids{1, 2, 3}), 2);
  EXPECT_EQ(common_prefix(Ids{1, 2, 3}, Ids{1, 9, 3}), 1);
}

}  // namespace
}  // namespace yona
