#include "yona/backend/attention_pattern.h"

#include <vector>

#include <gtest/gtest.h>

namespace yona {
namespace {

// The keys of a sentence of so many that a query sees, without a mask.
std::vector<std::int64_t> seen(const AttentionPattern& pattern, std::int64_t i, std::int64_t keys) {
  std::vector<std::int64_t> result;
  for (std::int64_t j = 0; j < keys; ++j) {
    if (pattern.sees(i, j, keys)) {
      result.push_back(j);
    }
  }
  return result;
}

using Keys = std::vector<std::int64_t>;

TEST(AttentionPattern, SeesAllWhenThereIsNone) {
  EXPECT_FALSE(AttentionPattern{});
  EXPECT_EQ(seen({}, 1, 3), (Keys{0, 1, 2}));
}

TEST(AttentionPattern, SlidesAWindow) {
  AttentionPattern pattern;
  pattern.before = 2;
  pattern.after = 1;
  EXPECT_TRUE(pattern);
  EXPECT_EQ(seen(pattern, 0, 8), (Keys{0, 1}));
  EXPECT_EQ(seen(pattern, 4, 8), (Keys{2, 3, 4, 5}));
  pattern.dilation = 3;
  EXPECT_EQ(seen(pattern, 5, 12), (Keys{2, 5, 8}));
  EXPECT_EQ(seen(pattern, 7, 12), (Keys{1, 4, 7, 10}));
}

TEST(AttentionPattern, ListsBlocks) {
  AttentionPattern pattern;
  pattern.block = 2;
  EXPECT_EQ(seen(pattern, 3, 9), (Keys{2, 3}));
  pattern.neighbours = 1;
  EXPECT_EQ(seen(pattern, 5, 9), (Keys{2, 3, 4, 5, 6, 7}));
  pattern.neighbours = 0;
  pattern.global_blocks = 1;
  EXPECT_EQ(seen(pattern, 5, 9), (Keys{0, 1, 4, 5}));
  EXPECT_EQ(seen(pattern, 1, 5), (Keys{0, 1, 2, 3, 4}));
}

TEST(AttentionPattern, DrawsRandomBlocks) {
  AttentionPattern pattern;
  pattern.block = 1;
  pattern.random_blocks = 3;
  pattern.seed = 5;
  AttentionPattern other = pattern;
  other.seed = 6;
  int differing = 0;
  for (std::int64_t i = 0; i < 100; ++i) {
    const Keys keys = seen(pattern, i, 100);
    EXPECT_GE(keys.size(), 1U);
    EXPECT_LE(keys.size(), 4U);
    differing += keys != seen(other, i, 100) ? 1 : 0;
  }
  EXPECT_GT(differing, 90);
  pattern.earlier = true;
  for (std::int64_t i = 0; i < 100; ++i) {
    EXPECT_EQ(seen(pattern, i, 100), seen(pattern, i, i + 1)) << "later tokens change nothing";
  }
}

}  // namespace
}  // namespace yona
