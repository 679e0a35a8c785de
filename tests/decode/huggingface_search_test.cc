// Cases worked out by hand; peers_test.cc has what transformers itself answers.

#include <gtest/gtest.h>

#include "tests/decode/search_tree.h"

namespace yona::testing {
namespace {

// Step 1:  aa .36    ab .18  | b</s> .15   ba .09       </s> in third place is no result
// Step 2:  aa</s> .18  aaa .144 | ab</s> .09  aba .072
// Step 3:  aaa</s> .072  aaaa .0576 | …
const SearchTree kHuggingFaceTree{
    {{{}, {0.1, 0.6, 0.3}}, {{1}, {0.1, 0.6, 0.3}}, {{2}, {0.5, 0.3, 0.2}}}, {0.5, 0.4, 0.1}};

DecodeOptions huggingface(EarlyStopping stopping, double length_penalty = 1.0) {
  DecodeOptions options = DecodeOptions::for_mode(BeamMode::huggingface);
  options.beam = options.n_best = 2;
  options.length_penalty = length_penalty;
  options.early_stopping = stopping;
  return options;
}

TEST(HuggingFaceSearch, EndsWhenTheBestBeamEndedNowIsWorseThanAllResults) {
  // After step 3: log(.0576)/4 = -0.714 is below the worse result, log(.072)/4 = -0.658.
  const SearchRun run = run_search(kHuggingFaceTree, huggingface(EarlyStopping::no), 30);
  EXPECT_EQ(run.steps, 4);
  ASSERT_EQ(run.results.size(), 2U);
  EXPECT_EQ(run.results[0].ids, (Ids{1, 1, 0}));
  EXPECT_NEAR(run.results[0].score, std::log(0.18) / 3, 1e-6);
  EXPECT_EQ(run.results[1].ids, (Ids{1, 1, 1, 0}));
}

TEST(HuggingFaceSearch, EndsWithEnoughResultsWhenStoppingEarly) {
  EXPECT_EQ(run_search(kHuggingFaceTree, huggingface(EarlyStopping::yes, 2.0), 30).steps, 4);
  EXPECT_GT(run_search(kHuggingFaceTree, huggingface(EarlyStopping::no, 2.0), 30).steps, 4);
}

TEST(HuggingFaceSearch, HopesForTheLongestOutputWhenItNeverStopsEarly) {
  // log(.0576)/30 is still above the results: it goes on.
  const SearchRun never = run_search(kHuggingFaceTree, huggingface(EarlyStopping::never), 30);
  EXPECT_GT(never.steps, 4);
  EXPECT_EQ(never.results[0].ids, (Ids{1, 1, 0}));
  EXPECT_EQ(run_search(kHuggingFaceTree, huggingface(EarlyStopping::never, 0.0), 30).steps, 4);
}

TEST(HuggingFaceSearch, EndsForFreeAtTheLimitOrIsCutThere) {
  DecodeOptions options = huggingface(EarlyStopping::no);
  const SearchRun closed = run_search(kHuggingFaceTree, options, 2);
  EXPECT_EQ(closed.results[0].ids, (Ids{1, 0}));
  EXPECT_NEAR(closed.results[0].score, std::log(0.6) / 2, 1e-6);
  options.force_end = false;
  const SearchRun cut = run_search(kHuggingFaceTree, options, 2);
  EXPECT_EQ(cut.results[0].ids, (Ids{1, 1}));
  EXPECT_NEAR(cut.results[0].score, std::log(0.36) / 2, 1e-6);
}

}  // namespace
}  // namespace yona::testing
