#include "yona/base/nearest_name.h"

#include <gtest/gtest.h>

namespace yona {
namespace {

TEST(EditDistance, CountsInsertionsDeletionsAndReplacements) {
  EXPECT_EQ(edit_distance("", ""), 0U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("abc", ""), 3U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
  EXPECT_EQ(edit_distance("same", "same"), 0U);
}

TEST(EditDistance, CountsASwapOfNeighboursOnce) {
  EXPECT_EQ(edit_distance("trian", "train"), 1U);
  EXPECT_EQ(edit_distance("udpates", "updates"), 1U);
  EXPECT_EQ(edit_distance("ca", "abc"), 3U);  // optimal string alignment edits nothing twice
}

TEST(NearestName, FindsTheClosestAndTheFirstOfEquals) {
  const std::vector<std::string> names{"train", "translate", "info", "vocab"};
  EXPECT_EQ(nearest_name("trian", names), "train");
  EXPECT_EQ(nearest_name("vocabulary", names), std::nullopt);
  EXPECT_EQ(nearest_name("vocabs", names), "vocab");
  EXPECT_EQ(nearest_name("translte", names), "translate");
  EXPECT_EQ(nearest_name("ab", {"ac", "ad"}), "ac");
}

TEST(NearestName, SaysNothingRatherThanGuess) {
  EXPECT_EQ(nearest_name("banana", {"train", "info"}), std::nullopt);
  EXPECT_EQ(nearest_name("", {"train"}), std::nullopt);
  EXPECT_EQ(nearest_name("train", {}), std::nullopt);
  EXPECT_EQ(nearest_name(std::string(100000, 'a'), {std::string(100000, 'a')}), std::nullopt);
}

}  // namespace
}  // namespace yona
