#include "yona/study/list_ops.h"

#include <set>

#include <gtest/gtest.h>

#include "yona/data/labelled_texts.h"

namespace yona {
namespace {

TEST(ListOps, ValueIsThatOfTheText) {
  // [MAX 2 [SM 3 9] 1]
  EXPECT_EQ(list_ops_value({15, 11, 2, 13, 3, 9, 14, 1, 14}), 2);
  std::set<std::int32_t> labels;
  for (std::uint64_t key = 0; key < 200; ++key) {
    const LongExample example = long_example(LongTask::list_ops, 100, key);
    EXPECT_LE(example.tokens.size(), 100U);
    EXPECT_GE(example.tokens.size(), 50U);
    EXPECT_EQ(example.label, list_ops_value(example.tokens)) << key;
    labels.insert(example.label);
  }
  EXPECT_EQ(labels.size(), 10U);
}

TEST(ListOps, RecallAsksForAKeyThatWasThere) {
  for (std::uint64_t key = 0; key < 100; ++key) {
    const LongExample example = long_example(LongTask::recall, 64, key);
    EXPECT_LE(example.tokens.size(), 64U);
    bool is_there = false;
    for (std::size_t i = 1; i + 1 < example.tokens.size(); i += 2) {
      if (example.tokens[i] == example.tokens.back()) {
        is_there = true;
        EXPECT_EQ(example.tokens[i + 1], example.label);
      }
    }
    EXPECT_TRUE(is_there);
  }
}

TEST(ListOps, BatchesAreTheSameForTheSameKey) {
  const Batch batch = long_batch(LongTask::recall, 3, 20, 5);
  EXPECT_EQ(batch.examples(), 3);
  EXPECT_EQ(batch.sides[kText].ids, long_batch(LongTask::recall, 3, 20, 5).sides[kText].ids);
  EXPECT_NE(batch.sides[kText].ids, long_batch(LongTask::recall, 3, 20, 6).sides[kText].ids);
}

}  // namespace
}  // namespace yona
