#include "yona/tensor/ops/residual_norm.h"

#include <cmath>

#include <gtest/gtest.h>

#include "yona/tensor/ops/dropout.h"

#include "tests/harness/compare.h"
#include "tests/harness/op_case.h"
#include "tests/harness/plain_ops.h"
#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

constexpr float kEpsilon = 1e-5F;

RowDropout drop(double p, const Tensor& x, Context& c) {
  return {c.dropout(p, 9U << 12U), *layout_of({x.rows()}, c.region)};
}

// Which of the two outputs goes on: post-norm uses the norm alone, pre-norm both.
enum class Uses { normed, sum, both };

Inputs chosen(const ResidualNorm& y, Uses uses) {
  if (uses == Uses::both) {
    return {y.sum, y.normed};
  }
  return {uses == Uses::sum ? y.sum : y.normed};
}

OpFunction fused(double p, Uses uses) {
  return [p, uses](const Inputs& x, Context& c) {
    return chosen(residual_norm(x[0], x[1], x[2], x[3], kEpsilon, drop(p, x[0], c), c), uses);
  };
}

OpFunction plain(double p, Uses uses) {
  return [p, uses](const Inputs& x, Context& c) {
    const Tensor s = add(x[0], dropout(x[1], drop(p, x[0], c), c), c);
    return chosen({s, layer_norm(s, x[2], x[3], kEpsilon, c)}, uses);
  };
}

std::vector<OpInput> inputs(std::int64_t rows, std::int64_t d) {
  return {{{rows, d}}, {{rows, d}}, {{d}, true, 0.5, 1.5}, {{d}}};
}

const std::int64_t kSizes[][2] = {{3, 8}, {0, 8}, {1, 3}, {4, 1}, {2, 17}, {3, 131}, {40, 6}};

TEST(ResidualNorm, PassesEveryUseOfItsCases) {
  for (const auto& [rows, d] : kSizes) {
    for (const double p : {0.0, 0.4}) {
      for (const Uses uses : {Uses::normed, Uses::sum, Uses::both}) {
        check_op({fmt::format("{}x{} dropout {} uses {}", rows, d, p, static_cast<int>(uses)),
                  inputs(rows, d), fused(p, uses)});
      }
    }
  }
}

TEST(ResidualNorm, EqualsDropoutAddLayerNorm) {
  for (const auto& [rows, d] : kSizes) {
    for (const double p : {0.0, 0.4}) {
      for (const Uses uses : {Uses::normed, Uses::both}) {
        expect_same({fmt::format("{}x{} dropout {}", rows, d, p), inputs(rows, d), fused(p, uses)},
                    {"plain", inputs(rows, d), plain(p, uses)});
      }
    }
  }
}

TEST(ResidualNorm, AddsUpWhenInputAndResidualAreOne) {
  check_op({"x + x", {{{3, 8}}, {{8}}, {{8}}}, [](const Inputs& x, Context& c) {
              return chosen(residual_norm(x[0], x[0], x[1], x[2], kEpsilon, drop(0.4, x[0], c), c),
                            Uses::both);
            }});
}

TEST(ResidualNorm, GivesGradientsOnlyToWhatTakesThem) {
  for (std::size_t constant = 0; constant < 4; ++constant) {
    std::vector<OpInput> some = inputs(3, 8);
    some[constant].gradient = false;
    check_op({fmt::format("input {} constant", constant), some, fused(0.4, Uses::both)});
    for (OpInput& input : some) {
      input.gradient = !input.gradient;
    }
    check_op({fmt::format("only input {}", constant), some, fused(0.4, Uses::normed)});
  }
}

TEST(ResidualNorm, TakesStridedRows) {
  check_op({"strided", {{{4, 20}}, {{5}}, {{5}}}, [](const Inputs& x, Context& c) {
              const Tensor a = x[0].columns(1, 5);
              const Tensor b = x[0].columns(9, 5);
              return chosen(residual_norm(a, b, x[1], x[2], kEpsilon, {}, c), Uses::both);
            }});
  check_op({"strided norm", {{{4, 20}}, {{5}}, {{5}}}, [](const Inputs& x, Context& c) {
              return Inputs{layer_norm(x[0].columns(3, 5), x[1], x[2], kEpsilon, c)};
            }});
}

OpFunction fused_sum(double p) {
  return [p](const Inputs& x, Context& c) {
    return Inputs{residual_sum(x[0], x[1], drop(p, x[0], c), c)};
  };
}

TEST(ResidualSum, PassesEveryUseOfItsCasesAndEqualsDropoutAdd) {
  for (const auto& [rows, d] : kSizes) {
    for (const double p : {0.0, 0.4}) {
      const OpCase fused{
          fmt::format("{}x{} dropout {}", rows, d, p), {{{rows, d}}, {{rows, d}}}, fused_sum(p)};
      check_op(fused);
      expect_same(fused, {"plain", fused.inputs, [p](const Inputs& x, Context& c) {
                            return Inputs{add(x[0], dropout(x[1], drop(p, x[0], c), c), c)};
                          }});
    }
  }
}

TEST(ResidualSum, TakesOneTensorTwiceStridedRowsAndConstants) {
  check_op({"x + x", {{{3, 8}}}, [](const Inputs& x, Context& c) {
              return Inputs{residual_sum(x[0], x[0], drop(0.4, x[0], c), c)};
            }});
  check_op({"strided", {{{4, 20}}}, [](const Inputs& x, Context& c) {
              const Tensor a = x[0].columns(1, 5);
              return Inputs{residual_sum(a, x[0].columns(9, 5), drop(0.4, a, c), c)};
            }});
  check_op({"constant input", {{{3, 8}, false}, {{3, 8}}}, fused_sum(0.4)});
  check_op({"constant residual", {{{3, 8}}, {{3, 8}, false}}, fused_sum(0.4)});
}

TEST(ResidualSum, RefusesWhatDoesNotFit) {
  Region region(shared_backend("reference"), 1 << 20);
  Context c{.region = region, .training = true};
  const Tensor x = c.zeros(DType::f32, {3, 4});
  const Tensor r = c.zeros(DType::f32, {2, 4});
  EXPECT_EQ(message_of<InvalidArgument>([&] { residual_sum(x, r, {}, c); }),
            "residual_sum: residual [2, 4] does not fit input [3, 4]");
  const Tensor wide = c.zeros(DType::f64, {3, 4});
  EXPECT_EQ(message_of<InvalidArgument>([&] { residual_sum(x, wide, {}, c); }),
            "residual_sum: residual of f64 for input of f32");
  EXPECT_EQ(message_of<InvalidArgument>([&] { residual_sum(x, x, drop(0.5, r, c), c); }),
            "residual_sum: 2 row keys for input [3, 4]");
}

TEST(LayerNorm, PassesEveryUseOfItsCases) {
  for (const auto& [rows, d] : kSizes) {
    check_op({fmt::format("{}x{}", rows, d),
              {{{rows, d}}, {{d}, true, 0.5, 1.5}, {{d}}},
              [](const Inputs& x, Context& c) {
                return Inputs{layer_norm(x[0], x[1], x[2], kEpsilon, c)};
              }});
  }
}

// Rows far from zero: a variance from the mean of squares would cancel to nothing.
TEST(LayerNorm, KeepsItsPrecisionFarFromZero) {
  const OpCase far{"far", {{{1, 4}}}, [](const Inputs& x, Context& c) {
                     set_values(x[0], {10000, 10001, 10002, 10003});
                     const Tensor ones = tensor_of({1, 1, 1, 1}, {4}, x[0].dtype(), c.region);
                     const Tensor zeros = tensor_of({0, 0, 0, 0}, {4}, x[0].dtype(), c.region);
                     return Inputs{layer_norm(x[0], ones, zeros, kEpsilon, c)};
                   }};
  const double deviation = std::sqrt(1.25 + 1e-5);
  const std::vector<double> expected{-1.5 / deviation, -0.5 / deviation, 0.5 / deviation,
                                     1.5 / deviation};
  expect_near(run_op(far).outputs[0], expected, 1e-7, "reference");
  expect_near(run_op(far, {.backend = "cpu", .dtype = DType::f32}).outputs[0], expected, 1e-6,
              "cpu");
}

TEST(LayerNorm, GivesTheBiasForConstantRows) {
  const OpCase constant{"constant", {{{2, 5}}, {{5}}, {{5}}}, [](const Inputs& x, Context& c) {
                          set_values(x[0], std::vector<double>(10, 3.0));
                          const Tensor y = layer_norm(x[0], x[1], x[2], kEpsilon, c);
                          return Inputs{y.row_range(0, 1), x[2]};
                        }};
  for (const OpRun& run : {OpRun{}, OpRun{.backend = "cpu", .dtype = DType::f32}}) {
    const OpResult result = run_op(constant, run);
    expect_near(result.outputs[0], result.outputs[1], 1e-6, "bias");
  }
}

TEST(ResidualNorm, RefusesWhatDoesNotFit) {
  Region region(shared_backend("reference"), 1 << 20);
  Context c{.region = region, .training = true};
  const Tensor x = c.zeros(DType::f32, {3, 4});
  const Tensor w = c.zeros(DType::f32, {4});
  const Tensor other = c.zeros(DType::f32, {5});
  EXPECT_EQ(message_of<InvalidArgument>([&] { layer_norm(x, other, w, kEpsilon, c); }),
            "layer_norm: weight [5] and bias [4] do not fit input [3, 4]");
  EXPECT_EQ(message_of<InvalidArgument>([&] { layer_norm(x, w, other, kEpsilon, c); }),
            "layer_norm: weight [4] and bias [5] do not fit input [3, 4]");
  const Tensor r = c.zeros(DType::f32, {2, 4});
  EXPECT_EQ(message_of<InvalidArgument>([&] { residual_norm(x, r, w, w, kEpsilon, {}, c); }),
            "residual_norm: residual [2, 4] does not fit input [3, 4]");
  const Tensor wide = c.zeros(DType::f64, {3, 4});
  EXPECT_EQ(message_of<InvalidArgument>([&] { residual_norm(x, wide, w, w, kEpsilon, {}, c); }),
            "residual_norm: residual of f64 for input of f32");
  EXPECT_EQ(
      message_of<InvalidArgument>([&] { residual_norm(x, x, w, w, kEpsilon, drop(0.5, r, c), c); }),
      "residual_norm: 2 row keys for input [3, 4]");
}

}  // namespace
}  // namespace yona::testing
