#include "yona/nn/attention/performer.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/bound_module.h"
#include "tests/harness/compare.h"
#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

constexpr HeadShape kPerformerHeads{.heads = 2, .d_k = 8, .d_v = 4};

AttentionSpec performer_spec(std::int64_t features) {
  return {.kind = AttentionKind::performer, .sizes = {.features = features}};
}

double dot_of_rows(const std::vector<double>& x, std::int64_t width, std::int64_t a,
                   std::int64_t b) {
  double sum = 0;
  for (std::int64_t c = 0; c < width; ++c) {
    sum += x[static_cast<std::size_t>(a * width + c)] * x[static_cast<std::size_t>(b * width + c)];
  }
  return sum;
}

TEST(OrthogonalFeatures, AreOrthogonalInBlocksAndAsLongAsGaussianVectors) {
  constexpr std::int64_t kWidth = 16, kCount = 1600;
  const std::vector<double> features = orthogonal_features(kCount, kWidth, 7);
  double squares = 0;
  for (std::int64_t r = 0; r < kCount; ++r) {
    squares += dot_of_rows(features, kWidth, r, r);
    for (std::int64_t other = r / kWidth * kWidth; other < r; ++other) {
      ASSERT_NEAR(dot_of_rows(features, kWidth, r, other), 0.0, 1e-10);
    }
  }
  EXPECT_NEAR(squares / kCount, kWidth, 0.5);  // a deviation of √(2 · 16 / 1600)
  double sum = 0;
  for (const double feature : features) {
    sum += feature;
  }
  EXPECT_NEAR(sum / static_cast<double>(features.size()), 0.0, 0.03);
}

TEST(OrthogonalFeatures, DependOnTheirKeyAlone) {
  EXPECT_EQ(orthogonal_features(10, 4, 7), orthogonal_features(10, 4, 7));
  EXPECT_NE(orthogonal_features(10, 4, 7), orthogonal_features(10, 4, 8));
}

// Two layers, which have streams of their own.
struct TwoPerformers : Module {
  TwoPerformers()
      : first(kPerformerHeads, performer_spec(20)), second(kPerformerHeads, performer_spec(20)) {
    add("first", first);
    add("second", second);
  }
  PerformerAttention first, second;
};

TEST(PerformerLayer, DrawsItsFeaturesFromItsName) {
  std::vector<std::vector<double>> outputs;
  for (int run = 0; run < 2; ++run) {
    TwoPerformers layers;
    BoundModule bound(layers);
    const Ragged Q = bound.input({5}, 16);
    const Ragged K = bound.input({5}, 16, 9);
    const Ragged V = bound.input({5}, 8, 10);
    outputs.push_back(values_of(layers.first(Q, K, V, Mask::none, bound.c).values));
    outputs.push_back(values_of(layers.second(Q, K, V, Mask::none, bound.c).values));
  }
  EXPECT_EQ(outputs[0], outputs[2]);
  EXPECT_EQ(outputs[1], outputs[3]);
  EXPECT_NE(outputs[0], outputs[1]);
}

// The error of the outputs against exact attention.
double approximation_error(std::int64_t features, Mask mask) {
  const auto exact = make_attention({.kind = AttentionKind::scaled}, kPerformerHeads);
  const auto performer = make_attention(performer_spec(features), kPerformerHeads);
  BoundModule bound(*performer);
  const Ragged Q = bound.input({40, 25}, 16);
  const Ragged K = bound.input({40, 25}, 16, 9);
  const Ragged V = bound.input({40, 25}, 8, 10);
  return norm_error(values_of((*performer)(Q, K, V, mask, bound.c).values),
                    values_of((*exact)(Q, K, V, mask, bound.c).values));
}

TEST(PerformerLayer, ComesCloserToExactAttentionWithMoreFeatures) {
  for (const Mask mask : {Mask::none, Mask::causal}) {
    const double few = approximation_error(8, mask);
    const double more = approximation_error(128, mask);
    const double many = approximation_error(2048, mask);
    EXPECT_LT(more, 0.5 * few);  // 1/√16 is expected
    EXPECT_LT(many, 0.5 * more);
    EXPECT_LT(many, 0.1);
  }
}

TEST(PerformerLayer, ShowsWeightsThatSumToOne) {
  const auto performer = make_attention(performer_spec(16), kPerformerHeads);
  BoundModule bound(*performer);
  const Ragged Q = bound.input({5}, 16);
  const std::vector<double> weights = values_of(performer->weights(Q, Q, Mask::causal, bound.c));
  ASSERT_EQ(weights.size(), 2U * 25U);
  for (std::size_t row = 0; row < 10; ++row) {
    double sum = 0;
    for (std::size_t j = 0; j < 5; ++j) {
      const double weight = weights[row * 5 + j];
      EXPECT_GE(weight, 0.0);
      EXPECT_TRUE(j <= row % 5 || weight == 0.0);
      sum += weight;
    }
    EXPECT_NEAR(sum, 1.0, 1e-12);
  }
}

TEST(PerformerLayer, HasNoParametersAndNoDropout) {
  PerformerAttention layer(kPerformerHeads, performer_spec(16));
  const Parameters parameters(layer, shared_backend("reference"), Gradients::no);
  EXPECT_EQ(parameters.count(), 0);
  AttentionSpec dropping = performer_spec(16);
  dropping.dropout = 0.1;
  EXPECT_THAT(message_of<InvalidArgument>([&] {
                PerformerAttention{kPerformerHeads, dropping};
              }),
              ::testing::HasSubstr("performer has no weights to drop"));
}

}  // namespace
}  // namespace yona::testing
