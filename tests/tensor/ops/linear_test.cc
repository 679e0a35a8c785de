#include "yona/tensor/ops/linear.h"

#include <gtest/gtest.h>

#include "yona/tensor/ops/dropout.h"

#include "tests/harness/compare.h"
#include "tests/harness/op_case.h"
#include "tests/harness/plain_ops.h"
#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

struct LinearVariant {
  std::string name;
  bool bias = true;
  Activation activation = Activation::none;
  double dropout = 0.0;
};

const std::vector<LinearVariant> kLinearVariants{
    {"product", false},
    {"bias"},
    {"bias and relu", true, Activation::relu},
    {"relu", false, Activation::relu},
    {"bias, relu and dropout", true, Activation::relu, 0.3}};

RowDropout dropout_of(const LinearVariant& variant, const Tensor& x, Context& c) {
  return {c.dropout(variant.dropout, 5U << 12U), *layout_of({x.rows()}, c.region)};
}

Inputs fused_linear(const LinearVariant& variant, const Inputs& x, Context& c) {
  return {linear(x[0], x[1], variant.bias ? x[2] : Tensor(),
                 {.activation = variant.activation, .dropout = dropout_of(variant, x[0], c)}, c)};
}

Inputs plain_linear(const LinearVariant& variant, const Inputs& x, Context& c) {
  Tensor y = matmul(x[0], x[1], Transpose::yes, c);
  if (variant.bias) {
    y = add_to_rows(y, x[2], c);
  }
  if (variant.activation == Activation::relu) {
    y = relu(y, c);
  }
  return {dropout(y, dropout_of(variant, x[0], c), c)};
}

template <class Op>
OpCase case_of(const LinearVariant& variant, std::int64_t rows, std::int64_t in, std::int64_t out,
               const Op& op) {
  OpCase made{fmt::format("{} {}x{}x{}", variant.name, rows, in, out),
              {{{rows, in}}, {{out, in}}},
              [variant, op](const Inputs& x, Context& c) { return op(variant, x, c); }};
  if (variant.bias) {
    made.inputs.push_back({{out}});
  }
  return made;
}

TEST(Linear, PassesEveryUseOfItsCases) {
  const std::int64_t sizes[][3] = {{3, 4, 5},  {0, 4, 5},   {1, 1, 1},  {1, 7, 3},
                                   {3, 1, 17}, {5, 130, 9}, {9, 6, 140}};
  for (const LinearVariant& variant : kLinearVariants) {
    for (const auto& [rows, in, out] : sizes) {
      check_op(case_of(variant, rows, in, out, fused_linear));
    }
  }
}

TEST(Linear, EqualsMatmulAddReluDropout) {
  const std::int64_t sizes[][3] = {{3, 4, 5}, {1, 1, 1}, {70, 33, 20}};
  for (const LinearVariant& variant : kLinearVariants) {
    for (const auto& [rows, in, out] : sizes) {
      expect_same(case_of(variant, rows, in, out, fused_linear),
                  case_of(variant, rows, in, out, plain_linear));
    }
  }
}

TEST(Linear, TakesColumnsOfLargerTensors) {
  check_op({"strided input", {{{4, 9}}, {{3, 5}}, {{3}}}, [](const Inputs& x, Context& c) {
              return Inputs{linear(x[0].columns(2, 5), x[1], x[2], {}, c)};
            }});
  check_op({"weights and biases that are parts of a whole",
            {{{4, 5}}, {{1, 100}}},
            [](const Inputs& x, Context& c) {
              const Tensor weight = x[1].slice(10, {3, 5});
              const Tensor bias = x[1].slice(25, {3});
              return Inputs{linear(x[0], weight, bias, {.activation = Activation::relu}, c)};
            }});
}

TEST(Linear, GivesGradientsOnlyToWhatTakesThem) {
  check_op({"constant input", {{{4, 5}, false}, {{3, 5}}, {{3}}}, [](const Inputs& x, Context& c) {
              return Inputs{linear(x[0], x[1], x[2], {}, c)};
            }});
  check_op({"constant weight and bias",
            {{{4, 5}}, {{3, 5}, false}, {{3}, false}},
            [](const Inputs& x, Context& c) {
              return Inputs{linear(x[0], x[1], x[2], {.activation = Activation::relu}, c)};
            }});
  check_op({"only the bias",
            {{{4, 5}, false}, {{3, 5}, false}, {{3}}},
            [](const Inputs& x, Context& c) { return Inputs{linear(x[0], x[1], x[2], {}, c)}; }});
}

TEST(Linear, AddsUpGradientsOfAnInputUsedTwice) {
  check_op({"shared input", {{{4, 5}}, {{3, 5}}, {{3}}, {{2, 5}}}, [](const Inputs& x, Context& c) {
              return Inputs{linear(x[0], x[1], x[2], {}, c), linear(x[0], x[3], {}, {}, c)};
            }});
  check_op({"input as its own weight", {{{4, 5}}}, [](const Inputs& x, Context& c) {
              return Inputs{linear(x[0], x[0], {}, {}, c)};
            }});
}

TEST(Linear, RefusesWhatDoesNotFit) {
  Region region(shared_backend("reference"), 1 << 20);
  Context c{.region = region, .training = true};
  const Tensor x = c.zeros(DType::f32, {4, 5});
  const Tensor w = c.zeros(DType::f32, {3, 5});
  EXPECT_EQ(message_of<InvalidArgument>([&] {
              linear(x, c.zeros(DType::f32, {5, 3}), {}, {}, c);
            }),
            "linear: input [4, 5] of f32 does not fit weight [5, 3] of f32");
  EXPECT_EQ(message_of<InvalidArgument>([&] {
              linear(x, c.zeros(DType::f64, {3, 5}), {}, {}, c);
            }),
            "linear: input [4, 5] of f32 does not fit weight [3, 5] of f64");
  EXPECT_EQ(message_of<InvalidArgument>([&] { linear(x, w, c.zeros(DType::f32, {4}), {}, c); }),
            "linear: bias [4] does not fit weight [3, 5]");
  const RowDropout drop(c.dropout(0.5, 0), *layout_of({4}, region));
  EXPECT_EQ(message_of<InvalidArgument>([&] { linear(x, w, {}, {.dropout = drop}, c); }),
            "linear: dropout is fused after a relu only");
  const RowDropout other(c.dropout(0.5, 0), *layout_of({3}, region));
  EXPECT_EQ(message_of<InvalidArgument>(
                [&] { linear(x, w, {}, {.activation = Activation::relu, .dropout = other}, c); }),
            "linear: 3 row keys for input [4, 5]");
}

}  // namespace
}  // namespace yona::testing
