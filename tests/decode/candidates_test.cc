// From logits to candidates: bans, given tokens, free ends and draws, over logits that are set.

#include "yona/decode/candidates.h"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/harness/op_case.h"
#include "tests/harness/random_tensor.h"

namespace yona::testing {
namespace {

class StepCandidatesTest : public ::testing::Test {
 protected:
  std::vector<Candidate> candidates(const DecodeOptions& options, const DecodeRequest& request,
                                    const std::vector<double>& logits) {
    std::vector<Unit> units;
    units.push_back({.request = &request,
                     .search = make_search(options, {.max_length = max_length_, .end = 0})});
    StepCandidates found(options, region_);
    found.find(
        {tensor_of(logits, {1, static_cast<std::int64_t>(logits.size())}, DType::f32, region_),
         false},
        units);
    return found.of(units.front(), 0);
  }

  // Candidates that are looked for, of 4 tokens.
  std::int64_t wanted(const DecodeOptions& options) {
    const DecodeRequest request{.source = {0}};
    std::vector<Unit> units;
    units.push_back({.request = &request,
                     .search = make_search(options, {.max_length = max_length_, .end = 0})});
    return StepCandidates(options, region_).wanted(units, 4);
  }

  std::int64_t max_length_ = 9;
  Region region_{shared_backend("cpu"), std::int64_t{1} << 22U};
  const std::vector<double> logits_{std::log(0.4), std::log(0.1), std::log(0.3), std::log(0.2)};
};

TEST_F(StepCandidatesTest, GivesTwiceTheBeamBestFirst) {
  DecodeOptions options;
  options.beam = 2;
  const std::vector<Candidate> found = candidates(options, {.source = {0}}, logits_);
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(found[0].token, 0);
  EXPECT_EQ(found[1].token, 2);
  EXPECT_EQ(found[3].token, 1);
  EXPECT_NEAR(found[1].score, std::log(0.3), 1e-6);
}

// Top-p without top-k reads the logits: sorting a whole vocabulary for it is slow.
TEST_F(StepCandidatesTest, LooksForNoMoreThanIsNeeded) {
  DecodeOptions options;
  options.beam = 1;
  const std::int64_t greedy = wanted(options);
  EXPECT_LE(greedy, 2);
  options.sampling = {.on = true, .top_p = 0.9};
  EXPECT_EQ(wanted(options), greedy);
  options.sampling.top_k = 3;
  EXPECT_EQ(wanted(options), 3);
  options.sampling.top_k = 100;
  EXPECT_EQ(wanted(options), 4);
  options.sampling.on = false;
  options.beam = 2;
  EXPECT_EQ(wanted(options), 4);
}

TEST_F(StepCandidatesTest, LeavesOutWhatIsBannedBeforeTheSoftmaxOnlyForCTranslate2) {
  DecodeOptions options;
  options.beam = 2;
  options.min_length = 1;
  options.suppress_unknown = true;
  std::vector<Candidate> found = candidates(options, {.source = {0}}, logits_);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_NEAR(found[0].score, std::log(0.3), 1e-6);
  options.mode = BeamMode::ctranslate2;
  found = candidates(options, {.source = {0}}, logits_);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_NEAR(found[0].score, std::log(0.6), 1e-6);
}

TEST_F(StepCandidatesTest, GivesThePrefixWithItsLogProbability) {
  DecodeOptions options;
  options.sampling.on = true;  // a prefix is not drawn
  const std::vector<Candidate> found = candidates(options, {.source = {0}, .prefix = {3}}, logits_);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].token, 3);
  EXPECT_NEAR(found[0].score, std::log(0.2), 1e-6);
}

TEST_F(StepCandidatesTest, EndsForFreeWhereHuggingFaceDoes) {
  max_length_ = 1;
  DecodeOptions options = DecodeOptions::for_mode(BeamMode::huggingface);
  const std::vector<Candidate> found = candidates(options, {.source = {0}}, logits_);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].token, 0);
  EXPECT_EQ(found[0].score, 0.0F);
}

TEST_F(StepCandidatesTest, DrawsOneTokenWithItsOwnLogProbability) {
  DecodeOptions options;
  options.sampling = {.on = true, .temperature = 100.0};
  std::vector<int> counts(4);
  for (std::uint64_t id = 0; id < 200; ++id) {
    const std::vector<Candidate> found = candidates(options, {.source = {0}, .id = id}, logits_);
    ASSERT_EQ(found.size(), 1U);
    const auto token = static_cast<std::size_t>(found[0].token);
    EXPECT_NEAR(found[0].score, logits_[token], 1e-5);
    ++counts[token];
  }
  for (const int count : counts) {
    EXPECT_GT(count, 20);
  }
  options.sampling.top_k = 2;
  for (std::uint64_t id = 0; id < 50; ++id) {
    const std::vector<Candidate> found = candidates(options, {.source = {0}, .id = id}, logits_);
    EXPECT_TRUE(found[0].token == 0 || found[0].token == 2);
  }
}

TEST_F(StepCandidatesTest, GivesNothingWhereNothingMayCome) {
  DecodeOptions options;
  options.min_length = 1;
  EXPECT_TRUE(candidates(options, {.source = {0}}, {1.0}).empty());
}

}  // namespace
}  // namespace yona::testing
