#include "yona/score/chrf.h"

#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/temp_dir.h"
#include "tests/score/fixture.h"

namespace yona::testing {
namespace {

TEST(Chrf, EqualsSacreBleuInEveryDigit) { expect_fixture_scores("CHRF"); }

TEST(Chrf, IsNamedAfterBetaAndWordOrder) {
  EXPECT_EQ(Chrf().name(), "chrF2");
  EXPECT_EQ(Chrf({.word_order = 2, .beta = 3}).name(), "chrF3++");
}

TEST(Chrf, IsOneHundredForTheReferenceItself) {
  EXPECT_EQ(sentence_score(Chrf(), "Wörter", {"Wörter"}), 100.0);
  EXPECT_EQ(sentence_score(Chrf({.word_order = 2}), "ein Satz.", {"ein Satz."}), 100.0);
}

TEST(Chrf, OfNothingIsZero) {
  EXPECT_EQ(sentence_score(Chrf(), "", {""}), 0.0);
  EXPECT_EQ(sentence_score(Chrf(), "", {"x"}), 0.0);
  EXPECT_EQ(sentence_score(Chrf(), "x", {""}), 0.0);
}

TEST(Chrf, TakesTheReferenceThatIsScoredBest) {
  EXPECT_EQ(sentence_score(Chrf(), "abcdef", {"zzzz", "abcdef", "abc"}), 100.0);
}

TEST(Chrf, SeesSpacesOnlyWhenAskedTo) {
  EXPECT_EQ(sentence_score(Chrf(), "a b\u3000c", {"abc"}), 100.0);
  EXPECT_LT(sentence_score(Chrf({.whitespace = true}), "a b\u3000c", {"abc"}), 100.0);
}

TEST(Chrf, RefusesOrdersThatMeanNothing) {
  EXPECT_EQ(message_of<InvalidArgument>([] { Chrf({.char_order = 0}); }),
            "chrF: the orders are 0 characters and 0 words; expected 0 to 64, and one above 0");
  EXPECT_EQ(message_of<InvalidArgument>([] { Chrf({.beta = 0}); }),
            "chrF: beta is 0; expected 1 or more");
}

}  // namespace
}  // namespace yona::testing
