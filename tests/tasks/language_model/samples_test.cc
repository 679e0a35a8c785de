#include "yona/tasks/language_model/samples.h"

#include <gtest/gtest.h>

#include "yona/io/causal_lm/language_model.h"

#include "tests/harness/lm_folder.h"
#include "tests/harness/op_case.h"

namespace yona::testing {
namespace {

class LmSamplesTest : public ::testing::Test {
 protected:
  SamplesReport samples(const std::string& text, std::int64_t count) {
    write_bytes(folder_ / "valid.txt", text);
    LmDataConfig data;
    data.valid = folder_ / "valid.txt";
    return LmSamples(data, model_->tokenizer(), count, model_->model(), shared_backend("cpu"))
        .run();
  }

  TempDir folder_;
  LmFolder lm_;
  std::unique_ptr<LanguageModel> model_ = LanguageModel::load(lm_.path(), shared_backend("cpu"));
};

// Half of the 24 positions are a prompt, the other half its continuation.
TEST_F(LmSamplesTest, BeginningsAreContinuedNextToWhatFollowsThem) {
  const SamplesReport report = samples("the quick brown fox jumps over the lazy dog a", 3);
  ASSERT_EQ(report.samples.size(), 1U);  // of 45 tokens, 24 each
  EXPECT_EQ(report.samples[0].input, "the quick br");
  EXPECT_EQ(report.samples[0].expected, "own fox jump");
  EXPECT_FALSE(report.samples[0].output.empty());
}

TEST_F(LmSamplesTest, TheContinuationIsTheMostProbableOne) {
  const std::string prompt = "the quick br";
  const auto made = samples(prompt + std::string(12, 'a'), 1).samples.at(0).output;
  std::vector<std::int32_t> ids = model_->tokenizer().encode(prompt);
  Region region(shared_backend("cpu"), std::int64_t{1} << 24U);
  while (ids.size() < 24) {
    Context c{.region = region};
    Tensor input(region, DType::i32, Shape{static_cast<std::int64_t>(ids.size())});
    input.upload(ids);
    const std::vector<std::int64_t> offsets{0, static_cast<std::int64_t>(ids.size())};
    const Ragged states = model_->model().decode({input, make_layout(offsets, {}, region)}, {}, c);
    const auto logits = model_->model().logits(states.values, c).to_vector<float>();
    const auto last = logits.end() - 40;
    ids.push_back(static_cast<std::int32_t>(std::max_element(last, logits.end()) - last));
  }
  EXPECT_EQ(made, model_->tokenizer().decode(std::span(ids).subspan(12)));
}

TEST_F(LmSamplesTest, ATextThatIsTooShortHasNone) {
  EXPECT_TRUE(samples("short", 2).samples.empty());
  EXPECT_TRUE(samples("the quick brown fox jumps over", 0).samples.empty());
}

}  // namespace
}  // namespace yona::testing
