// Cases worked out by hand; peers_test.cc has what CTranslate2 itself answers.

#include <gtest/gtest.h>

#include "tests/decode/search_tree.h"

namespace yona::testing {
namespace {

DecodeOptions ctranslate2(std::int64_t beam, double length_penalty = 1.0) {
  DecodeOptions options = DecodeOptions::for_mode(BeamMode::ctranslate2);
  options.beam = beam;
  options.n_best = 1;
  options.length_penalty = length_penalty;
  options.min_length = 0;
  return options;
}

// Step 0:  a .6   b .3  | </s> .1
// Step 1:  a</s> .3   b</s> .27  | aa .18   ab .12
// Step 2:  from aa and ab
const SearchTree kCTranslate2Tree{
    {{{}, {0.1, 0.6, 0.3}}, {{1}, {0.5, 0.3, 0.2}}, {{2}, {0.9, 0.05, 0.05}}}, {0.6, 0.3, 0.1}};

TEST(CTranslate2Search, IsOverWithBeamTimesPatienceResults) {
  DecodeOptions options = ctranslate2(2, 2.0);
  const SearchRun run = run_search(kCTranslate2Tree, options, 20);
  EXPECT_EQ(run.steps, 2);
  EXPECT_EQ(run.results[0].ids, (Ids{1, 0}));
  EXPECT_NEAR(run.results[0].score, std::log(0.3) / 4, 1e-6);  // </s> counts in the length
  options.patience = 2.0;
  // Others take the places of what has ended: aa</s> .108 and ab</s> .072 come at step 2.
  const SearchRun patient = run_search(kCTranslate2Tree, options, 20);
  EXPECT_EQ(patient.steps, 3);
  EXPECT_EQ(patient.results[0].ids, (Ids{1, 1, 0}));
  EXPECT_NEAR(patient.results[0].score, std::log(0.108) / 9, 1e-6);
}

TEST(CTranslate2Search, EndsWithItsBestBeamWhenLengthsDoNotCount) {
  // b</s> is second best at step 1, a</s> best: one result is enough.
  const SearchTree tree{{{{}, {0.1, 0.6, 0.3}}, {{2}, {0.9, 0.05, 0.05}}}, {0.4, 0.5, 0.1}};
  // Step 1: aa .3  b</s> .27 …: the best beam goes on; step 2: aaa .15 aa</s> .12: still;
  const SearchRun run = run_search(tree, ctranslate2(2, 0.0), 5);
  EXPECT_EQ(run.results[0].ids, (Ids{2, 0}));
  EXPECT_NEAR(run.results[0].score, std::log(0.27), 1e-6);
  EXPECT_EQ(run_search(kCTranslate2Tree, ctranslate2(2, 0.0), 20).steps, 2);
}

TEST(CTranslate2Search, CutsAtTheLimit) {
  const SearchRun run = run_search({{}, {0.0, 0.75, 0.25}}, ctranslate2(2), 3);
  EXPECT_EQ(run.steps, 3);
  EXPECT_EQ(run.results[0].ids, (Ids{1, 1, 1}));
  EXPECT_NEAR(run.results[0].score, std::log(0.75), 1e-6);
}

TEST(CTranslate2Search, HoldsBackOtherEndsRightAfterAPrefix) {
  DecodeOptions options = ctranslate2(2);
  options.n_best = 2;
  const auto search = make_search(options, {.max_length = 9, .prefix = 1, .end = 0});
  search->force({.score = -3.0F, .beam = 0, .token = 7});
  EXPECT_EQ(search->beams().front().score, 0.0F);  // a prefix costs nothing
  const std::vector<Candidate> step{{-0.5F, 0, 5}, {-1.0F, 0, 0}, {-2.0F, 0, 6}, {-3.0F, 0, 8}};
  ASSERT_TRUE(search->advance(step));
  ASSERT_EQ(search->beams().size(), 2U);
  EXPECT_EQ(search->beams()[0].token, 5);
  EXPECT_EQ(search->beams()[1].token, 6);  // in the place of </s>, which ended without hope
}

}  // namespace
}  // namespace yona::testing
