#include "yona/score/bleu.h"

#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/temp_dir.h"
#include "tests/score/fixture.h"

namespace yona::testing {
namespace {

TEST(Bleu, EqualsSacreBleuInEveryDigit) { expect_fixture_scores("BLEU"); }

TEST(Bleu, HasThePrecisionsAndPenaltiesOfSacreBleu) {
  const Json fixture = score_fixture("scores");
  for (const Json& test_case : fixture["cases"]) {
    if (test_case["metric"] != "BLEU") {
      continue;
    }
    const Json& text = fixture["texts"][test_case["text"].get<std::string>()];
    const Bleu bleu(bleu_options(test_case["options"]));
    const auto hypotheses = text["hypotheses"].get<std::vector<std::string>>();
    const BleuParts parts = bleu.parts(
        corpus_statistics(bleu, hypotheses, text["references"].get<References>()).sums());
    EXPECT_EQ(parts.precisions, test_case["corpus"]["precisions"].get<std::vector<double>>());
    EXPECT_EQ(parts.brevity_penalty, test_case["corpus"]["bp"].get<double>());
  }
}

TEST(Bleu, IsOneHundredForTheReferenceItself) {
  EXPECT_DOUBLE_EQ(sentence_score(Bleu(), "the cat sat on the mat", {"the cat sat on the mat"}),
                   100.0);
}

TEST(Bleu, ClipsRepeatedWordsToTheMostThatOneReferenceHas) {
  const Bleu bleu({.max_order = 1});
  std::vector<double> numbers(bleu.width());
  bleu.reduce("the the the the the the the",
              std::vector<std::string>{"the cat is on the mat", "there is a cat on the mat"},
              numbers);
  EXPECT_EQ(numbers, (std::vector<double>{7, 7, 2, 7}));  // Papineni et al. 2002, example 2
}

TEST(Bleu, TakesTheShorterOfTwoReferencesThatAreEquallyClose) {
  const Bleu bleu;
  std::vector<double> numbers(bleu.width());
  bleu.reduce("a b c", std::vector<std::string>{"a b c d", "a b"}, numbers);
  EXPECT_EQ(numbers[1], 2);
}

TEST(Bleu, OfNothingIsZero) {
  EXPECT_EQ(sentence_score(Bleu(), "", {""}), 0.0);
  EXPECT_EQ(sentence_score(Bleu(), "", {"something"}), 0.0);
  EXPECT_EQ(sentence_score(Bleu(), "something", {""}), 0.0);
}

TEST(Bleu, RefusesOrdersAndValuesThatMeanNothing) {
  EXPECT_EQ(message_of<InvalidArgument>([] { Bleu({.max_order = 0}); }),
            "BLEU: the n-gram order is 0; expected 1 to 64");
  EXPECT_EQ(message_of<InvalidArgument>(
                [] { Bleu({.smoothing = BleuSmoothing::floor, .smooth_value = -1.0}); }),
            "BLEU: the smoothing value is -1; expected a number of at least 0");
}

TEST(Bleu, NamesItsSmoothings) {
  EXPECT_EQ(bleu_smoothing_names(), (std::vector<std::string>{"exp", "floor", "add-k", "none"}));
  EXPECT_EQ(name_of(BleuSmoothing::add_k), "add-k");
}

}  // namespace
}  // namespace yona::testing
