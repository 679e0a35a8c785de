// Cases worked out by hand; peers_test.cc has what Marian itself answers.

#include <gtest/gtest.h>

#include "tests/decode/search_tree.h"

namespace yona::testing {
namespace {

DecodeOptions marian(std::int64_t beam, double normalise, double word_penalty = 0.0) {
  DecodeOptions options = DecodeOptions::for_mode(BeamMode::marian);
  options.beam = options.n_best = beam;
  options.length_penalty = normalise;
  options.word_penalty = word_penalty;
  options.suppress_unknown = false;
  return options;
}

// Step 0:  a .6   b .3
// Step 1:  a</s> .3   b</s> .27        both places are gone
const SearchTree kBothEnd{{{{}, {0.1, 0.6, 0.3}}, {{1}, {0.5, 0.3, 0.2}}, {{2}, {0.9, 0.05, 0.05}}},
                          {0.6, 0.3, 0.1}};

TEST(MarianSearch, NarrowsUntilNoBeamIsLeft) {
  const SearchRun run = run_search(kBothEnd, marian(2, 1.0), 20);
  EXPECT_EQ(run.steps, 2);
  ASSERT_EQ(run.results.size(), 2U);
  EXPECT_NEAR(run.results[0].score, std::log(0.3) / 2, 1e-6);
  EXPECT_NEAR(run.results[1].score, std::log(0.27) / 2, 1e-6);
}

// With three beams one is left after step 1 (aa .18), and from then on there is one candidate.
TEST(MarianSearch, LooksAtAsManyCandidatesAsBeamsAreLeft) {
  const SearchRun run = run_search(kBothEnd, marian(3, 0.0), 20);
  // Step 0: a .6  b .3  </s> .1: the end is a result, two beams are left; step 1 as above.
  EXPECT_EQ(run.steps, 2);
  ASSERT_EQ(run.results.size(), 3U);
  EXPECT_EQ(run.results[0].ids, (Ids{1, 0}));
  EXPECT_EQ(run.results[2].ids, (Ids{0}));
}

TEST(MarianSearch, TakesWhatIsLeftAtTheLimit) {
  const SearchRun run = run_search({{}, {0.0, 0.75, 0.25}}, marian(2, 0.0), 3);
  EXPECT_EQ(run.steps, 3);
  ASSERT_EQ(run.results.size(), 2U);
  EXPECT_EQ(run.results[0].ids, (Ids{1, 1, 1}));
}

TEST(MarianSearch, TakesTheWordPenaltyOffForEachToken) {
  const SearchRun run = run_search(kBothEnd, marian(2, 0.0, 0.5), 20);
  EXPECT_NEAR(run.results[0].score, std::log(0.3) - 1.0, 1e-6);
}

}  // namespace
}  // namespace yona::testing
