// Adam's kernel against the paper's formulas (Kingma and Ba 2015, algorithm 1) and its options.

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "tests/harness/compare.h"
#include "tests/harness/op_case.h"
#include "tests/harness/random_tensor.h"

namespace yona::testing {
namespace {

using Values = std::vector<double>;

struct State {
  Values w = random_values(20, 1), g = random_values(20, 2), m = random_values(20, 3),
         v = random_values(20, 4, 0.0, 1.0), average = random_values(20, 5);
  double squared_norm = 0;
};

View view_of(Values& values) {
  return {values.data(), 1, static_cast<std::int64_t>(values.size()),
          static_cast<std::int64_t>(values.size()), DType::f64};
}

void step(State& state, AdamArgs args) {
  Backend& backend = shared_backend("reference");
  backend.kernels().squared_norm({.x = view_of(state.g), .out = &state.squared_norm},
                                 backend.exec());
  args.weights = view_of(state.w);
  args.gradients = view_of(state.g);
  args.m = view_of(state.m);
  args.v = view_of(state.v);
  args.squared_norm = &state.squared_norm;
  backend.kernels().adam(args, backend.exec());
}

TEST(Adam, FollowsThePapersFormulas) {
  State state;
  State expected;
  for (int t = 1; t <= 3; ++t) {
    const double correction1 = 1 - std::pow(0.9, t);
    const double correction2 = 1 - std::pow(0.98, t);
    step(state, {.rate = 0.01F,
                 .correction1 = static_cast<float>(correction1),
                 .correction2 = static_cast<float>(correction2)});
    for (std::size_t i = 0; i < 20; ++i) {
      expected.m[i] = 0.9 * expected.m[i] + 0.1 * expected.g[i];
      expected.v[i] = 0.98 * expected.v[i] + 0.02 * expected.g[i] * expected.g[i];
      expected.w[i] -=
          0.01 * (expected.m[i] / correction1) / (std::sqrt(expected.v[i] / correction2) + 1e-9);
    }
  }
  expect_near(state.w, expected.w, 1e-6, "weights");
  expect_near(state.m, expected.m, 1e-6, "first moment");
  expect_near(state.v, expected.v, 1e-6, "second moment");
}

TEST(Adam, ClipsByTheNormOfAllGradients) {
  State clipped;
  State scaled;
  const double norm = norm_of(scaled.g);
  for (double& g : scaled.g) {
    g *= 0.5 / norm;
  }
  step(clipped, {.clip_norm = 0.5F, .rate = 0.01F});
  step(scaled, {.rate = 0.01F});
  expect_near(clipped.w, scaled.w, 1e-12, "clipped");
  State below;
  State plain;
  step(below, {.clip_norm = 100.0F, .rate = 0.01F});
  step(plain, {.rate = 0.01F});
  EXPECT_EQ(below.w, plain.w);
}

TEST(Adam, DecaysWeightsApartFromTheGradient) {
  State decayed;
  State plain;
  step(decayed, {.rate = 0.01F, .decay = 0.1F});
  step(plain, {.rate = 0.01F});
  EXPECT_EQ(decayed.m, plain.m);
  const State start;
  for (std::size_t i = 0; i < 20; ++i) {
    EXPECT_NEAR(plain.w[i] - decayed.w[i], 0.01 * 0.1 * start.w[i], 1e-9);
  }
}

TEST(Adam, AveragesTheNewWeights) {
  State state;
  const State start;
  step(state, {.average = view_of(state.average), .rate = 0.01F, .ema = 0.75F});
  for (std::size_t i = 0; i < 20; ++i) {
    EXPECT_NEAR(state.average[i], 0.75 * start.average[i] + 0.25 * state.w[i], 1e-12);
  }
}

TEST(Adam, ChangesNothingWhenAGradientIsNotFinite) {
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
        -std::numeric_limits<double>::infinity()}) {
    State state;
    const State start;
    state.g[7] = bad;
    step(state, {.average = view_of(state.average), .rate = 0.01F, .ema = 0.5F});
    EXPECT_FALSE(std::isfinite(state.squared_norm));
    EXPECT_EQ(state.w, start.w);
    EXPECT_EQ(state.m, start.m);
    EXPECT_EQ(state.v, start.v);
    EXPECT_EQ(state.average, start.average);
  }
}

TEST(Adam, LeavesWeightsWithoutGradientAlone) {
  State state;
  state.g.assign(20, 0.0);
  state.m.assign(20, 0.0);
  state.v.assign(20, 0.0);
  const State start;
  step(state, {.clip_norm = 1.0F, .rate = 0.01F});
  EXPECT_EQ(state.w, start.w);
}

}  // namespace
}  // namespace yona::testing
