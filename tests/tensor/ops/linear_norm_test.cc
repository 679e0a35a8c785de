#include "yona/tensor/ops/linear_norm.h"

#include <gtest/gtest.h>

#include "yona/tensor/ops/linear.h"
#include "yona/tensor/packed_weights.h"

#include "tests/harness/compare.h"
#include "tests/harness/op_case.h"
#include "tests/harness/random_tensor.h"
#include "tests/harness/temp_dir.h"
#include "tests/harness/tolerances.h"

namespace yona::testing {
namespace {

// The inputs on one backend, and a context in which nothing is recorded.
struct LinearNormProblem {
  LinearNormProblem(std::string_view backend, std::int64_t rows, std::int64_t depth,
                    std::int64_t width, bool bias = true)
      : region(shared_backend(backend), std::int64_t{1} << 26U) {
    soil(region, 1 << 20);
    const auto random = [&](const Shape& shape, std::uint64_t key) {
      return tensor_of(random_values(shape.elements(), key), shape, DType::f32, region);
    };
    a = random({rows, depth}, 1);
    x = random({rows, width}, 2);
    weights = {.weight = random({width, depth}, 3),
               .bias = bias ? random({width}, 4) : Tensor(),
               .norm_weight = random({width}, 5),
               .norm_bias = random({width}, 6),
               .epsilon = 1e-3F};
  }
  ResidualNorm fused(FormSum form_sum) { return linear_norm(x, a, weights, form_sum, c); }
  ResidualNorm plain() {
    return residual_norm(x, linear(a, weights.weight, weights.bias, {}, c), weights.norm_weight,
                         weights.norm_bias, weights.epsilon, {}, c);
  }

  Region region;
  Context c{.region = region};
  Tensor a, x;
  LinearNormWeights weights;
};

std::vector<std::string_view> fused_backends() {
  return has_cuda() ? std::vector<std::string_view>{"reference", "cuda"}
                    : std::vector<std::string_view>{"reference"};
}

constexpr std::int64_t kLinearNormSizes[][3] = {
    {3, 4, 9}, {0, 4, 5}, {1, 1, 2}, {5, 7, 3}, {9, 70, 66}};

TEST(LinearNorm, EqualsLinearAndResidualNorm) {
  for (const std::string_view backend : fused_backends()) {
    for (const auto& [rows, depth, width] : kLinearNormSizes) {
      for (const bool bias : {true, false}) {
        SCOPED_TRACE(fmt::format("{} {}x{}x{}", backend, rows, depth, width));
        LinearNormProblem problem(backend, rows, depth, width, bias);
        const ResidualNorm expected = problem.plain();
        const ResidualNorm got = problem.fused(FormSum::yes);
        EXPECT_EQ(values_of(got.sum), values_of(expected.sum));
        EXPECT_EQ(values_of(got.normed), values_of(expected.normed));
        const ResidualNorm normed = problem.fused(FormSum::no);
        EXPECT_FALSE(normed.sum);
        EXPECT_EQ(values_of(normed.normed), values_of(expected.normed));
      }
    }
  }
}

// Ops do not call it there (Fused::no); it is right all the same.
TEST(LinearNorm, IsTheSameOnTheCpu) {
  LinearNormProblem problem("cpu", 9, 70, 66);
  const ResidualNorm expected = problem.plain();
  Context& c = problem.c;
  for (const bool with_sum : {true, false}) {
    const Tensor s = c.empty(DType::f32, problem.x.shape());
    const Tensor y = c.empty(DType::f32, problem.x.shape());
    const Tensor workspace = c.empty(DType::f32, problem.x.shape());
    const Tensor statistics = c.empty(DType::f32, {9, 2});
    c.kernels().linear_norm({.a = problem.a.view(),
                             .weight = problem.weights.weight.view(),
                             .bias = problem.weights.bias.view(),
                             .x = problem.x.view(),
                             .s = with_sum ? s.view() : View{},
                             .y = y.view(),
                             .norm_weight = problem.weights.norm_weight.view(),
                             .norm_bias = problem.weights.norm_bias.view(),
                             .workspace = workspace.view(),
                             .statistics = statistics.view(),
                             .epsilon = problem.weights.epsilon},
                            c.exec());
    expect_near(values_of(y), values_of(expected.normed), kBackendF32, "y");
    if (with_sum) {
      expect_near(values_of(s), values_of(expected.sum), kBackendF32, "s");
    }
  }
}

TEST(LinearNorm, IsForPassesWithoutTapeDropoutAndPackedWeights) {
  LinearNormProblem problem("reference", 3, 4, 9);
  const Tensor& weight = problem.weights.weight;
  Context& c = problem.c;
  EXPECT_TRUE(joins_norm(weight, c));
  c.training = true;
  EXPECT_FALSE(joins_norm(weight, c));
  c.training = false;
  Tape tape;
  c.tape = &tape;
  EXPECT_FALSE(joins_norm(weight, c));
  c.tape = nullptr;
  {
    const PackedWeights packed(weight);
    EXPECT_FALSE(joins_norm(weight, c));
  }
  EXPECT_TRUE(joins_norm(weight, c));
  LinearNormProblem on_cpu("cpu", 3, 4, 9);
  EXPECT_FALSE(joins_norm(on_cpu.weights.weight, on_cpu.c));
}

TEST(LinearNorm, SaysWhatDoesNotFit) {
  LinearNormProblem problem("reference", 3, 4, 9);
  const auto message = [&] {
    return message_of<InvalidArgument>([&] { problem.fused(FormSum::no); });
  };
  const auto [weight, bias, norm_weight, norm_bias, epsilon] = problem.weights;
  problem.weights.bias = norm_weight.slice(0, {4});
  EXPECT_EQ(message(), "linear_norm: bias [4] does not fit weight [9, 4]");
  problem.weights.bias = bias;
  problem.weights.norm_bias = norm_weight.slice(0, {4});
  EXPECT_EQ(message(), "linear_norm: weight [9] and bias [4] of the norm do not fit [3, 9]");
  problem.weights.norm_bias = norm_bias;
  problem.weights.weight = weight.slice(0, {9, 3});
  EXPECT_EQ(message(), "linear_norm: input [3, 4] of f32 does not fit weight [9, 3] of f32");
  problem.weights.weight = weight.slice(0, {8, 4});
  problem.weights.bias = Tensor();
  EXPECT_EQ(message(),
            "linear_norm: residual [3, 9] of f32 does not fit input [3, 4] of f32 and weight "
            "[8, 4]");
  problem.weights.weight = weight;
  problem.c.training = true;
  EXPECT_EQ(message(),
            "linear_norm: this backend does not fuse the product with the norm; use linear and "
            "residual_norm");
}

}  // namespace
}  // namespace yona::testing
