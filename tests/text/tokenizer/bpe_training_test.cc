#include "yona/text/tokenizer/bpe_training.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace yona::testing {
namespace {

TEST(BpeTrainer, MergesTheMostFrequentPairFirst) {
  BpeTrainer trainer;
  trainer.add("low low low lower newest newest widest");
  const LearnedBpe learned = trainer.learn(256 + 4);
  ASSERT_EQ(learned.merges.size(), 4U);
  ASSERT_EQ(learned.pieces.size(), 260U);
  EXPECT_EQ(learned.merges[0], BpeMerges::Pair("l", "o"));  // 4 times, with "ow", which comes later
  EXPECT_EQ(learned.merges[1], BpeMerges::Pair("lo", "w"));
  EXPECT_EQ(learned.pieces[257], "low");
}

TEST(BpeTrainer, StopsWhereNothingOccursTwice) {
  BpeTrainer trainer;
  trainer.add("ab cd");
  EXPECT_TRUE(trainer.learn(1000).merges.empty());
  trainer.add("ab");
  const LearnedBpe learned = trainer.learn(1000);
  ASSERT_EQ(learned.merges.size(), 1U);
  EXPECT_EQ(learned.merges[0], BpeMerges::Pair("a", "b"));
}

TEST(BpeTrainer, DoesNotDependOnTheOrderOfTexts) {
  BpeTrainer one;
  BpeTrainer other;
  one.add("banana bandana");
  one.add("an apple");
  other.add("an apple");
  other.add("banana bandana");
  EXPECT_EQ(one.learn(300).merges, other.learn(300).merges);
}

}  // namespace
}  // namespace yona::testing
