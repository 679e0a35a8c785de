#include "yona/score/ter.h"

#include <gtest/gtest.h>

#include "tests/score/fixture.h"

namespace yona::testing {
namespace {

TEST(Ter, EqualsSacreBleuInEveryDigit) { expect_fixture_scores("TER"); }

TEST(Ter, CountsTheWordsOfTheReference) {
  EXPECT_EQ(sentence_score(Ter(), "a b c", {"a b c"}), 0.0);
  EXPECT_EQ(sentence_score(Ter(), "a b", {"a b c d"}), 50.0);
  EXPECT_EQ(sentence_score(Ter(), "c d a b", {"a b c d"}), 25.0);  // one shift
}

TEST(Ter, IgnoresCaseUnlessTold) {
  EXPECT_EQ(sentence_score(Ter(), "HELLO Welt", {"hello welt"}), 0.0);
  EXPECT_EQ(sentence_score(Ter({.case_sensitive = true}), "HELLO Welt", {"hello welt"}), 100.0);
}

TEST(Ter, AgainstNothingAnythingIsWrong) {
  EXPECT_EQ(sentence_score(Ter(), "", {""}), 0.0);
  EXPECT_EQ(sentence_score(Ter(), "a b", {""}), 100.0);
  EXPECT_EQ(sentence_score(Ter(), "", {"a b"}), 100.0);
}

TEST(Ter, DividesEditsToTheClosestReferenceByTheirMeanLength) {
  std::vector<double> numbers(2);
  Ter().reduce("a b c", std::vector<std::string>{"a b", "x y z w v"}, numbers);
  EXPECT_EQ(numbers, (std::vector<double>{1, 3.5}));
}

TEST(Ter, IsBetterWhenLower) { EXPECT_FALSE(Ter().higher_is_better()); }

}  // namespace
}  // namespace yona::testing
