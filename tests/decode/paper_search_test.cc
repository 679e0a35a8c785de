#include <gtest/gtest.h>

#include "tests/decode/search_tree.h"

namespace yona::testing {
namespace {

double penalty(double length, double alpha = 0.6) { return std::pow((5 + length) / 6, alpha); }

DecodeOptions paper(std::int64_t beam, std::int64_t n_best = 1) {
  DecodeOptions options;
  options.beam = beam;
  options.n_best = n_best;
  return options;
}

// After a or b the end is likely; after c it never comes.
const SearchTree kPaperTree{
    {{{}, {0.02, 0.5, 0.3, 0.18}}, {{1}, {0.8, 0.1, 0.1, 0}}, {{2}, {0.95, 0.05, 0, 0}}},
    {0.1, 0.3, 0.3, 0.3}};

TEST(PaperSearch, PrefersTheBestScoreAfterTheLengthPenalty) {
  const SearchRun run = run_search(kPaperTree, paper(2, 2), 52);
  ASSERT_EQ(run.results.size(), 2U);
  EXPECT_EQ(run.results[0].ids, (Ids{1, 0}));
  EXPECT_NEAR(run.results[0].score, std::log(0.4) / penalty(2), 1e-6);
  EXPECT_EQ(run.results[1].ids, (Ids{2, 0}));
  EXPECT_NEAR(run.results[1].score, std::log(0.285) / penalty(2), 1e-6);
}

// The best beam after the second step has 0.05; even at the longest output of 8 tokens
// log(0.05) / penalty(8) = -2.12 is below log(0.4) / penalty(2) = -0.84.
TEST(PaperSearch, EndsAsSoonAsNothingBetterCanCome) {
  EXPECT_EQ(run_search(kPaperTree, paper(2), 8).steps, 2);
}

// With 500 tokens allowed, log(0.05) / penalty(500) = -0.21 might still win: the search goes on
// until the bound has fallen below.
TEST(PaperSearch, GoesOnWhileSomethingBetterMightCome) {
  EXPECT_GT(run_search(kPaperTree, paper(2), 500).steps, 2);
}

// The search without an early end, to compare with: everything that ends within the limit.
TEST(PaperSearch, LosesNothingByEndingEarly) {
  for (const std::int64_t longest : {3, 5, 8}) {
    DecodeOptions options = paper(3);
    const SearchRun early = run_search(kPaperTree, options, longest);
    options.n_best = 3;
    options.length_penalty = 0.6;
    const SearchRun late = run_search(kPaperTree, options, longest);
    EXPECT_EQ(early.results[0].ids, late.results[0].ids);
    EXPECT_NEAR(early.results[0].score, late.results[0].score, 1e-6);
  }
}

TEST(PaperSearch, TakesAllEndsAmongTwiceTheBeam) {
  // Step 2 with beam 1 would not see b; with beam 2 the candidates are a</s>, b</s>, aa, ab.
  const SearchRun run = run_search(kPaperTree, paper(2, 2), 3);
  EXPECT_EQ(run.results[1].ids, (Ids{2, 0}));
}

TEST(PaperSearch, CountsCutOutputsOnlyWhenNothingHasEnded) {
  const SearchTree endless{{}, {0.0, 0.6, 0.4}};
  const SearchRun run = run_search(endless, paper(2, 2), 2);
  ASSERT_EQ(run.results.size(), 2U);
  EXPECT_EQ(run.results[0].ids, (Ids{1, 1}));
  EXPECT_NEAR(run.results[0].score, std::log(0.36) / penalty(2), 1e-6);
  const SearchTree rarely{{{{1}, {0.01, 0.99, 0}}}, {0.001, 0.6, 0.399}};
  for (const Hypothesis& result : run_search(rarely, paper(2, 2), 3).results) {
    EXPECT_EQ(result.ids.back(), 0);
  }
}

TEST(PaperSearch, TakesANegativePenaltyWithItsOwnBound) {
  DecodeOptions options = paper(2);
  options.length_penalty = -1.0;
  const SearchRun run = run_search(kPaperTree, options, 20);
  EXPECT_NEAR(run.results[0].score, std::log(0.4) * 7 / 6, 1e-6);
  EXPECT_EQ(run.steps, 2);
}

}  // namespace
}  // namespace yona::testing
