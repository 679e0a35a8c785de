#include "yona/tasks/masked_lm/masked_lm_objective.h"

#include <cmath>

#include <gtest/gtest.h>

#include "yona/data/masked_texts.h"
#include "yona/nn/parameters.h"

#include "tests/harness/objective_losses.h"
#include "tests/harness/op_case.h"
#include "tests/harness/random_tensor.h"

namespace yona::testing {
namespace {

BertConfig toy_masked_bert() {
  BertConfig config;
  config.vocabulary = 11;
  config.layers = 1;
  config.d_model = 8;
  config.d_ff = 16;
  config.heads = 2;
  config.dropout = config.attention_dropout = config.classifier_dropout = 0.0;
  config.max_positions = 16;
  config.pooler = Pooler::none;
  config.masked_lm = true;
  return config;
}

struct MaskedText {
  std::vector<std::int32_t> ids, places, tokens;
};

Batch masked_batch(const std::vector<MaskedText>& texts) {
  Batch batch;
  batch.clear();
  for (const MaskedText& text : texts) {
    const auto append = [&](std::size_t side, const std::vector<std::int32_t>& ids) {
      batch.sides[side].ids.insert(batch.sides[side].ids.end(), ids.begin(), ids.end());
      batch.sides[side].end_example();
    };
    append(kMaskedText, text.ids);
    append(kMaskedPlaces, text.places);
    append(kMaskedTokens, text.tokens);
    batch.example_ids.push_back(batch.example_ids.size());
    batch.weights.push_back(1.0F);
  }
  return batch;
}

class MaskedLmObjectiveTest : public ::testing::Test {
 protected:
  MaskedLmObjectiveTest()
      : parameters_(objective_.model(), shared_backend("cpu"), Gradients::no),
        region_(shared_backend("cpu"), std::int64_t{1} << 24U) {
    set_values(parameters_.weights(), random_values(parameters_.count(), 5, -0.7, 0.7));
  }
  std::vector<double> nll(const Batch& batch) { return row_nll(objective_, batch, region_); }

  MaskedLmObjective objective_{toy_masked_bert()};
  Parameters parameters_;
  Region region_;
};

TEST_F(MaskedLmObjectiveTest, TheLossIsThatOfTheTokensAtThePlacesAlone) {
  const std::vector<std::int32_t> ids{2, 7, 4, 9, 4, 3};
  const std::vector<double> losses = nll(masked_batch({{ids, {2, 4}, {5, 6}}}));
  ASSERT_EQ(losses.size(), 2U);
  // The probabilities of all tokens at one place add up to one.
  double sum = 0;
  for (std::int32_t token = 0; token < 11; ++token) {
    sum += std::exp(-nll(masked_batch({{ids, {2}, {token}}}))[0]);
  }
  EXPECT_NEAR(sum, 1.0, 1e-4);
  EXPECT_NEAR(nll(masked_batch({{ids, {4}, {6}}}))[0], losses[1], 1e-5);
}

TEST_F(MaskedLmObjectiveTest, PlacesCountFromTheBeginningOfTheirOwnText) {
  const MaskedText first{{2, 7, 4, 3}, {2}, {8}};
  const MaskedText second{{2, 5, 6, 4, 9, 3}, {3}, {7}};
  const std::vector<double> both = nll(masked_batch({first, second}));
  ASSERT_EQ(both.size(), 2U);
  EXPECT_NEAR(both[0], nll(masked_batch({first}))[0], 1e-5);
  EXPECT_NEAR(both[1], nll(masked_batch({second}))[0], 1e-5);
}

TEST_F(MaskedLmObjectiveTest, WeightAndLargestBatchCountMaskedTokens) {
  EXPECT_EQ(objective_.weight(masked_batch({{{2, 7, 4, 9, 4, 3}, {2, 4}, {5, 6}}})), 2.0);
  const Batch largest = objective_.largest_batch(40, shared_backend("cpu"));
  EXPECT_EQ(largest.sides[kMaskedText].rows(), 40);
  EXPECT_EQ(largest.examples(), 3);  // of 16 positions
  EXPECT_GT(objective_.weight(largest), 0.15 * 40);
  const MaskedLmObjective most(toy_masked_bert(), 0.9);  // as many as data.masked allows
  EXPECT_GE(most.weight(most.largest_batch(40, shared_backend("cpu"))), 0.9 * 40);
}

}  // namespace
}  // namespace yona::testing
