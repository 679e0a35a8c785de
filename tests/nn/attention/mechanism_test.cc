// The three mechanisms behind the one call: scaled and unscaled dot products, and additive scores.

#include "yona/nn/attention/mechanism.h"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/harness/bound_module.h"
#include "tests/harness/compare.h"
#include "tests/harness/tolerances.h"

namespace yona::testing {
namespace {

constexpr HeadShape kTwoHeads{.heads = 2, .d_k = 4, .d_v = 3};

// One query and two keys of one head each: the weight of the first key.
double first_weight(AttentionKind kind, double score_gap) {
  const auto attend = make_attention({kind, 0.0}, {.heads = 1, .d_k = 4, .d_v = 1});
  BoundModule bound(*attend);
  const auto tensor = [&](const std::vector<double>& values, const Shape& shape) {
    return tensor_of(values, shape, DType::f64, bound.region);
  };
  const Ragged Q{tensor({1, 1, 1, 1}, {1, 4}), layout_of({1}, bound.region)};
  const double part = score_gap / 4;
  const Ragged K{tensor({part, part, part, part, 0, 0, 0, 0}, {2, 4}),
                 layout_of({2}, bound.region)};
  const Ragged V = K.with(tensor({1, 0}, {2, 1}));
  return values_of((*attend)(Q, K, V, Mask::none, bound.c).values)[0];
}

TEST(AttentionMechanism, DividesScoresByTheRootOfTheKeySizeWhenScaled) {
  EXPECT_NEAR(first_weight(AttentionKind::unscaled, 2.0), 1 / (1 + std::exp(-2.0)), 1e-12);
  EXPECT_NEAR(first_weight(AttentionKind::scaled, 2.0), 1 / (1 + std::exp(-1.0)), 1e-12);
}

TEST(AttentionMechanism, DropsWeightsInTrainingOnly) {
  for (const AttentionKind kind :
       {AttentionKind::scaled, AttentionKind::unscaled, AttentionKind::additive}) {
    const auto attend = make_attention({kind, 0.5}, kTwoHeads);
    BoundModule bound(*attend);
    const Ragged Q = bound.input({4, 3}, 8);
    const Ragged K = bound.input({4, 3}, 8, 9);
    const Ragged V = bound.input({4, 3}, 6, 10);
    const auto run = [&] { return values_of((*attend)(Q, K, V, Mask::causal, bound.c).values); };
    const std::vector<double> whole = run();
    EXPECT_EQ(run(), whole);
    bound.c.training = true;
    const std::vector<double> dropped = run();
    EXPECT_NE(dropped, whole);
    EXPECT_EQ(run(), dropped);
    bound.c.random.update = 1;
    EXPECT_NE(run(), dropped);
  }
}

TEST(AttentionMechanism, HasParametersOnlyWhenAdditive) {
  for (const AttentionKind kind :
       {AttentionKind::scaled, AttentionKind::unscaled, AttentionKind::additive}) {
    const auto attend = make_attention({kind, 0.0}, kTwoHeads);
    const Parameters parameters(*attend, shared_backend("reference"), Gradients::no);
    EXPECT_EQ(parameters.count(), kind == AttentionKind::additive ? 8 : 0);
  }
}

}  // namespace
}  // namespace yona::testing
