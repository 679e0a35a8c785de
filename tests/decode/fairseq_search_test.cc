// fairseq no longer installs; these cases were worked out by hand from sequence_generator.py and
// search.py of its release 0.12.

#include <gtest/gtest.h>

#include "tests/decode/search_tree.h"

namespace yona::testing {
namespace {

DecodeOptions fairseq(std::int64_t beam, double length_penalty = 1.0) {
  DecodeOptions options = DecodeOptions::for_mode(BeamMode::fairseq);
  options.beam = options.n_best = beam;
  options.length_penalty = length_penalty;
  return options;
}

void expect_result(const Hypothesis& result, const Ids& ids, double score) {
  EXPECT_EQ(result.ids, ids);
  EXPECT_NEAR(result.score, score, 1e-6);
}

// Step 0 (no </s> below min_len 1):  a .6   b .3
// Step 1:  a</s> .3   b</s> .27  | aa .18   ab .12      both of the best two end: done
TEST(FairseqSearch, IsOverWithAsManyResultsAsBeams) {
  const SearchTree tree{{{{}, {0.1, 0.6, 0.3}}, {{1}, {0.5, 0.3, 0.2}}, {{2}, {0.9, 0.05, 0.05}}},
                        {0.6, 0.3, 0.1}};
  const SearchRun run = run_search(tree, fairseq(2), 10);
  EXPECT_EQ(run.steps, 2);
  ASSERT_EQ(run.results.size(), 2U);
  expect_result(run.results[0], {1, 0}, std::log(0.3) / 2);
  expect_result(run.results[1], {2, 0}, std::log(0.27) / 2);
}

// Step 1:  aa .36    ab .18  | b</s> .15   ba .09       </s> in third place is no result, and no
// beam Step 2:  aa</s> .18  aaa .144 | ab</s> .09  aba .072 Step 3:  aaa</s> .072  aaaa .0576 | …
const SearchTree kLateEnd{{{{}, {0.1, 0.6, 0.3}}, {{1}, {0.1, 0.6, 0.3}}, {{2}, {0.5, 0.3, 0.2}}},
                          {0.5, 0.4, 0.1}};

TEST(FairseqSearch, TakesAnEndOnlyAmongTheBestBeamCandidates) {
  const SearchRun run = run_search(kLateEnd, fairseq(2), 10);
  EXPECT_EQ(run.steps, 4);
  ASSERT_EQ(run.results.size(), 2U);
  expect_result(run.results[0], {1, 1, 0}, std::log(0.18) / 3);
  expect_result(run.results[1], {1, 1, 1, 0}, std::log(0.072) / 4);
}

// The same with --lenpen 2 and 0: results are found in the same order and ranked in another.
TEST(FairseqSearch, NormalisesByTheLengthToThePenalty) {
  const SearchRun two = run_search(kLateEnd, fairseq(2, 2.0), 10);
  expect_result(two.results[0], {1, 1, 1, 0}, std::log(0.072) / 16);
  expect_result(two.results[1], {1, 1, 0}, std::log(0.18) / 9);
  const SearchRun none = run_search(kLateEnd, fairseq(2, 0.0), 10);
  expect_result(none.results[0], {1, 1, 0}, std::log(0.18));
  expect_result(none.results[1], {1, 1, 1, 0}, std::log(0.072));
}

// max_len 2: at the third step only </s> may come, at its own probability:
//   aa</s> .18   ab</s> .09
TEST(FairseqSearch, ClosesTheBeamsAtTheMaximumLength) {
  const SearchRun run = run_search(kLateEnd, fairseq(2), 3);
  EXPECT_EQ(run.steps, 3);
  ASSERT_EQ(run.results.size(), 2U);
  expect_result(run.results[0], {1, 1, 0}, std::log(0.18) / 3);
  expect_result(run.results[1], {1, 2, 0}, std::log(0.09) / 3);
}

// A result that is already there leaves room for one more at the limit: aa</s> at step 2, then at
// step 3 aaa</s> .072 and aba</s> .036, of which only the first is taken.
TEST(FairseqSearch, KeepsToAsManyResultsAsBeamsAtTheLimit) {
  const SearchRun run = run_search(kLateEnd, fairseq(2), 4);
  EXPECT_EQ(run.steps, 4);
  ASSERT_EQ(run.results.size(), 2U);
  expect_result(run.results[1], {1, 1, 1, 0}, std::log(0.072) / 4);
}

// min_len 3: </s> not before the fourth token.
TEST(FairseqSearch, HoldsTheEndBackUntilTheMinimumLength) {
  DecodeOptions options = fairseq(2);
  options.min_length = 3;
  const SearchRun run = run_search(kLateEnd, options, 10);
  // Step 2: aaa .144  aba .072;  step 3: aaa</s> .072  aaaa .0576 | aba</s> .036  abaa .0288
  // Step 4: aaaa</s> .0288
  ASSERT_EQ(run.results.size(), 2U);
  expect_result(run.results[0], {1, 1, 1, 0}, std::log(0.072) / 4);
  expect_result(run.results[1], {1, 1, 1, 1, 0}, std::log(0.0288) / 5);
}

TEST(FairseqSearch, IsGreedyWithOneBeam) {
  const SearchRun run = run_search(kLateEnd, fairseq(1), 10);
  ASSERT_EQ(run.results.size(), 1U);
  expect_result(run.results[0], {1, 1, 0}, std::log(0.18) / 3);
}

}  // namespace
}  // namespace yona::testing
