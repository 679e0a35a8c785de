#include "yona/tasks/language_model/objective.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/harness/objective_losses.h"
#include "tests/harness/toy_lm.h"

namespace yona::testing {
namespace {

// What is read on side 0, what is predicted on side 1.
Batch lm_batch(const std::vector<std::vector<std::int32_t>>& texts) {
  Batch batch;
  batch.clear();
  for (const auto& text : texts) {
    batch.sides[0].ids.insert(batch.sides[0].ids.end(), text.begin(), text.end() - 1);
    batch.sides[1].ids.insert(batch.sides[1].ids.end(), text.begin() + 1, text.end());
    batch.sides[0].end_example();
    batch.sides[1].end_example();
    batch.example_ids.push_back(batch.example_ids.size());
    batch.weights.push_back(1.0F);
  }
  return batch;
}

class LmObjectiveTest : public ::testing::Test {
 protected:
  LmObjectiveTest()
      : parameters_(objective_.model(), shared_backend("cpu"), Gradients::yes),
        region_(shared_backend("cpu"), std::int64_t{1} << 24U) {
    set_values(parameters_.weights(), random_values(parameters_.count(), 5, -0.7, 0.7));
  }
  // -log p of each predicted token.
  std::vector<double> nll(const Batch& batch) { return row_nll(objective_, batch, region_); }

  LmObjective objective_{toy_gpt2(), 0.0, 12};
  Parameters parameters_;
  Region region_;
};

TEST_F(LmObjectiveTest, TheLossIsThatOfTheNextToken) {
  const std::vector<std::int32_t> text{3, 1, 4, 1, 5, 9};
  const std::vector<double> losses = nll(lm_batch({text}));
  ToyLm toy(toy_gpt2(), "cpu");  // the same weights
  const std::vector<double> logits = toy.logits({{text.begin(), text.end() - 1}});
  ASSERT_EQ(losses.size(), 5U);
  for (std::size_t i = 0; i < losses.size(); ++i) {
    double sum = 0;
    for (std::size_t v = 0; v < 13; ++v) {
      sum += std::exp(logits[i * 13 + v]);
    }
    const double expected = std::log(sum) - logits[i * 13 + static_cast<std::size_t>(text[i + 1])];
    EXPECT_NEAR(losses[i], expected, 1e-4);
  }
}

TEST_F(LmObjectiveTest, AttentionDoesNotCrossExamples) {
  const std::vector<std::int32_t> first{3, 1, 4, 1, 5};
  const std::vector<std::int32_t> second{2, 7, 1, 8};
  const std::vector<double> alone = nll(lm_batch({second}));
  const std::vector<double> after = nll(lm_batch({first, second}));
  const std::vector<double> other = nll(lm_batch({{9, 9, 9, 9, 9}, second}));
  ASSERT_EQ(after.size(), 7U);
  for (std::size_t i = 0; i < alone.size(); ++i) {
    EXPECT_NEAR(after[4 + i], alone[i], 1e-5);
    EXPECT_EQ(after[4 + i], other[4 + i]);
  }
}

TEST_F(LmObjectiveTest, TheWeightOfABatchIsThatOfItsPredictedTokens) {
  Batch batch = lm_batch({{3, 1, 4}, {2, 7, 1, 8}});
  EXPECT_EQ(objective_.weight(batch), 5.0);
  batch.weights = {0.5F, 2.0F};
  EXPECT_EQ(objective_.weight(batch), 7.0);
}

TEST_F(LmObjectiveTest, TheLargestBatchHasExamplesOfTheContextsLength) {
  const Batch batch = objective_.largest_batch(30, shared_backend("cpu"));
  EXPECT_EQ(batch.sides[0].offsets, (std::vector<std::int64_t>{0, 12, 24, 30}));
  EXPECT_EQ(batch.sides[1].offsets, batch.sides[0].offsets);
  EXPECT_EQ(batch.examples(), 3);
  EXPECT_EQ(batch.weights.size(), 3U);
}

}  // namespace
}  // namespace yona::testing
