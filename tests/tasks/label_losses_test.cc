#include "yona/tasks/label_losses.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/harness/op_case.h"
#include "tests/harness/random_tensor.h"

namespace yona::testing {
namespace {

using ::testing::ElementsAre;

class LabelLossesTest : public ::testing::Test {
 protected:
  LabelLossesTest() : region_(shared_backend("cpu"), std::int64_t{1} << 20U) {}

  Region region_;
};

TEST_F(LabelLossesTest, ScalesAreSharesOfTheUpdateDividedAmongPasses) {
  Batch batch;
  batch.weights = {1.0F, 3.0F};
  batch.example_ids = {0, 1};
  EXPECT_EQ(weight_of_examples(batch), 4.0);
  ExampleScale scale;
  EXPECT_THAT(values_of(scale.of(batch, 8.0, 1, region_)), ElementsAre(0.125, 0.375));
  EXPECT_THAT(values_of(scale.of(batch, 8.0, 2, region_)), ElementsAre(0.0625, 0.1875));
}

// Logits of the two examples are (x, -x): the first label has the probability 1 / (1 + e^-2x).
TEST_F(LabelLossesTest, AreTheLogProbabilitiesOfTheLabels) {
  const OutputLayer classifier{tensor_of({1, -1}, {2, 1}, DType::f32, region_), {}};
  const auto vectors = [&](Context& c) {
    return tensor_of({0.5, 2.0}, {2, 1}, DType::f32, c.region);
  };
  std::vector<Context> contexts;
  contexts.push_back({.region = region_});
  const auto losses = values_of(label_losses(vectors, classifier, {0, 1}, {}, {}, contexts));
  const double first = std::log1p(std::exp(-1.0));
  const double second = std::log1p(std::exp(4.0));
  ASSERT_EQ(losses.size(), 4U);
  EXPECT_NEAR(losses[1], first, 1e-5);
  EXPECT_NEAR(losses[3], second, 1e-5);

  // Two passes with the same vectors: the same losses again, and nothing between them to add.
  contexts.push_back({.region = region_});
  const auto both =
      values_of(label_losses(vectors, classifier, {0, 1}, {}, {.rdrop = 1}, contexts));
  ASSERT_EQ(both.size(), 8U);
  EXPECT_NEAR(both[1], first, 1e-5);
  EXPECT_NEAR(both[7], second, 1e-5);
}

}  // namespace
}  // namespace yona::testing
