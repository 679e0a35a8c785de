#include "yona/tensor/bias_gradient.h"

#include <gtest/gtest.h>

#include "yona/tensor/ops/add.h"
#include "yona/tensor/ops/attention.h"
#include "yona/tensor/ops/linear.h"
#include "yona/tensor/ops/residual_norm.h"

#include "tests/harness/op_case.h"
#include "tests/harness/plain_ops.h"

namespace yona::testing {
namespace {

// How often a kernel was run.
struct KernelRuns : Profile {
  void end(std::string_view name) override { ++runs[name]; }
  std::map<std::string_view, int> runs;
};

// Passes over gradients for the sake of biases alone.
int bias_passes(const OpCase& op_case, const OpRun& run) {
  KernelRuns seen;
  Exec& exec = shared_backend(run.backend, run.threads).exec();
  exec.profile = &seen;
  run_op(op_case, run);
  exec.profile = nullptr;
  return seen.runs["bias_activation_backward"];
}

// Gradients are right on every backend, and take as many passes as expected: where kernels add up
// what they write, and where they do not.
void expect_passes(const OpCase& op_case, int summed, int plain) {
  SCOPED_TRACE(op_case.name);
  check_op(op_case);
  EXPECT_EQ(bias_passes(op_case, {}), summed);
  EXPECT_EQ(bias_passes(op_case, {.backend = "cpu", .dtype = DType::f32}), plain);
  if (has_cuda()) {
    EXPECT_EQ(bias_passes(op_case, {.backend = "cuda", .dtype = DType::f32}), summed);
  }
}

Tensor normed(const Tensor& x, const Tensor& r, const Inputs& in, Context& c) {
  const RowDropout drop(c.dropout(0.3, 9U << 12U), *layout_of({x.rows()}, c.region));
  return residual_norm(x, r, in[3], in[4], 1e-5F, drop, c).normed;
}

// x [5, 6], a weight, a bias and a norm.
std::vector<OpInput> residual_inputs(std::int64_t out = 6) {
  return {{{5, 6}}, {{out, 6}}, {{out}}, {{6}, true, 0.5, 1.5}, {{6}}};
}

TEST(BiasGradient, OfAResidualIsAddedUpByItsNorm) {
  expect_passes({"x + f(x)", residual_inputs(),
                 [](const Inputs& in, Context& c) {
                   return Inputs{normed(in[0], linear(in[0], in[1], in[2], {}, c), in, c)};
                 }},
                0, 1);
  expect_passes({"biases of a whole",
                 {{{5, 6}}, {{6, 6}}, {{1, 40}}, {{6}, true, 0.5, 1.5}, {{6}}},
                 [](const Inputs& in, Context& c) {
                   const Tensor y = linear(in[0], in[1], in[2].slice(3, {6}), {}, c);
                   const Tensor z = linear(y, in[1], in[2].slice(9, {6}), {}, c);  // uses y
                   return Inputs{normed(in[0], z, in, c)};
                 }},
                1, 2);
  expect_passes({"one bias twice", residual_inputs(),
                 [](const Inputs& in, Context& c) {
                   const Tensor y = normed(in[0], linear(in[0], in[1], in[2], {}, c), in, c);
                   return Inputs{normed(y, linear(y, in[1], in[2], {}, c), in, c)};
                 }},
                0, 2);
}

TEST(BiasGradient, IsAPassOfItsOwnWhereTheOutputIsUsedTwice) {
  expect_passes({"by two norms", residual_inputs(),
                 [](const Inputs& in, Context& c) {
                   const Tensor y = linear(in[0], in[1], in[2], {}, c);
                   return Inputs{normed(in[0], y, in, c), normed(in[0], y, in, c)};
                 }},
                1, 1);
  expect_passes({"by a norm and a loss", residual_inputs(),
                 [](const Inputs& in, Context& c) {
                   const Tensor y = linear(in[0], in[1], in[2], {}, c);
                   return Inputs{normed(in[0], y, in, c), y};
                 }},
                1, 1);
  expect_passes({"as input and residual", residual_inputs(),
                 [](const Inputs& in, Context& c) {
                   const Tensor y = linear(in[0], in[1], in[2], {}, c);
                   return Inputs{normed(y, y, in, c)};
                 }},
                1, 1);
  expect_passes({"before and after", residual_inputs(),
                 [](const Inputs& in, Context& c) {
                   const Tensor y = linear(in[0], in[1], in[2], {}, c);
                   const Tensor before = add(y, in[0], c);
                   return Inputs{add(normed(before, y, in, c), y, c)};
                 }},
                1, 1);
  expect_passes({"a part of it", residual_inputs(9),
                 [](const Inputs& in, Context& c) {
                   const Tensor y = linear(in[0], in[1], in[2], {}, c);
                   return Inputs{normed(in[0], y.columns(2, 6), in, c)};
                 }},
                1, 1);
  expect_passes({"through a relu", residual_inputs(),
                 [](const Inputs& in, Context& c) {
                   const LinearOptions relu{.activation = Activation::relu, .dropout = {}};
                   return Inputs{normed(in[0], linear(in[0], in[1], in[2], relu, c), in, c)};
                 }},
                1, 1);
}

TEST(BiasGradient, IsMadeForBiasesThatTakeOne) {
  std::vector<OpInput> inputs = residual_inputs();
  inputs[2].gradient = false;
  expect_passes({"constant bias", inputs,
                 [](const Inputs& in, Context& c) {
                   return Inputs{normed(in[0], linear(in[0], in[1], in[2], {}, c), in, c)};
                 }},
                0, 0);
  inputs = residual_inputs();
  inputs[0].gradient = inputs[1].gradient = inputs[3].gradient = inputs[4].gradient = false;
  expect_passes({"only the bias", inputs,
                 [](const Inputs& in, Context& c) {
                   return Inputs{normed(in[0], linear(in[0], in[1], in[2], {}, c), in, c)};
                 }},
                0, 1);
  expect_passes({"no rows",
                 {{{0, 6}}, {{6, 6}}, {{6}}, {{6}}, {{6}}},
                 [](const Inputs& in, Context& c) {
                   return Inputs{normed(in[0], linear(in[0], in[1], in[2], {}, c), in, c)};
                 }},
                0, 1);
}

Tensor attended(const Tensor& q, const Tensor& k, const Tensor& v, Context& c) {
  const auto layout = layout_of({3, 2}, c.region);
  return attention(q, k, v, layout, layout,
                   {.heads = 2,
                    .d_k = 3,
                    .d_v = 3,
                    .scale = 0.5F,
                    .mask = Mask::causal,
                    .prefix = {},
                    .bias = {},
                    .dropout = c.dropout(0.2, 5U << 12U)},
                   c);
}

// x [5, 4], and weights and biases of two linears.
std::vector<OpInput> parts_inputs(std::int64_t first, std::int64_t second) {
  return {{{5, 4}}, {{first, 4}}, {{first}}, {{second, 4}}, {{second}}};
}

TEST(BiasGradient, OfQueriesKeysAndValuesIsAddedUpByAttention) {
  expect_passes(
      {"one product", parts_inputs(18, 1),
       [](const Inputs& in, Context& c) {
         const Tensor qkv = linear(in[0], in[1], in[2], {}, c);
         return Inputs{attended(qkv.columns(0, 6), qkv.columns(6, 6), qkv.columns(12, 6), c)};
       }},
      0, 1);
  expect_passes(
      {"one product in another order", parts_inputs(18, 1),
       [](const Inputs& in, Context& c) {
         const Tensor qkv = linear(in[0], in[1], in[2], {}, c);
         return Inputs{attended(qkv.columns(6, 6), qkv.columns(12, 6), qkv.columns(0, 6), c)};
       }},
      0, 1);
  expect_passes({"queries, and keys with values", parts_inputs(6, 12),
                 [](const Inputs& in, Context& c) {
                   const Tensor q = linear(in[0], in[1], in[2], {}, c);
                   const Tensor kv = linear(in[0], in[3], in[4], {}, c);
                   return Inputs{attended(q, kv.columns(0, 6), kv.columns(6, 6), c)};
                 }},
                0, 2);
  expect_passes({"keys alone", parts_inputs(6, 6),
                 [](const Inputs& in, Context& c) {
                   const Tensor k = linear(in[0], in[1], in[2], {}, c);
                   const Tensor v = linear(in[0], in[3], {}, {}, c);
                   return Inputs{attended(linear(in[0], in[3], {}, {}, c), k, v, c)};
                 }},
                0, 1);
}

TEST(BiasGradient, OfPartsThatOthersUseIsAPassOfItsOwn) {
  expect_passes({"queries used twice", parts_inputs(18, 1),
                 [](const Inputs& in, Context& c) {
                   const Tensor qkv = linear(in[0], in[1], in[2], {}, c);
                   const Tensor q = qkv.columns(0, 6);
                   return Inputs{add(attended(q, qkv.columns(6, 6), qkv.columns(12, 6), c), q, c)};
                 }},
                1, 1);
  expect_passes({"keys as values", parts_inputs(6, 6),
                 [](const Inputs& in, Context& c) {
                   const Tensor q = linear(in[0], in[1], in[2], {}, c);
                   const Tensor k = linear(in[0], in[3], in[4], {}, c);
                   return Inputs{attended(q, k, k, c)};
                 }},
                2, 2);
  expect_passes(
      {"a part unused", parts_inputs(20, 1),
       [](const Inputs& in, Context& c) {
         const Tensor qkv = linear(in[0], in[1], in[2], {}, c);
         return Inputs{attended(qkv.columns(0, 6), qkv.columns(6, 6), qkv.columns(14, 6), c)};
       }},
      1, 1);
  expect_passes({"keys and values twice", parts_inputs(6, 12),
                 [](const Inputs& in, Context& c) {
                   const Tensor q = linear(in[0], in[1], in[2], {}, c);
                   const Tensor kv = linear(in[0], in[3], in[4], {}, c);
                   const Tensor once = attended(q, kv.columns(0, 6), kv.columns(6, 6), c);
                   return Inputs{attended(once, kv.columns(0, 6), kv.columns(6, 6), c)};
                 }},
                2, 2);
}

// A tape that is cleared takes its wishes with it: what is recorded later is not asked for sums.
TEST(BiasGradient, EndsWithTheTape) {
  Region region(shared_backend("reference"), 1 << 20);
  Tape tape;
  Context c{.region = region, .tape = &tape};
  const auto leaf = [&](const Shape& shape) {
    const Tensor x = c.zeros(DType::f32, shape);
    x.set_requires_gradient();
    return x;
  };
  const Tensor x = leaf({5, 6});
  const Tensor bias = leaf({6});
  const Tensor y = linear(x, leaf({6, 6}), bias, {}, c);
  EXPECT_NE(y.storage()->bias_gradient, nullptr);
  tape.clear();
  EXPECT_EQ(y.storage()->bias_gradient, nullptr);
  const Tensor z = residual_norm(x, y, leaf({6}), leaf({6}), 1e-5F, {}, c).normed;
  add_to_gradient(z, std::vector<double>(30, 1.0), c);
  tape.backward();
  EXPECT_TRUE(y.gradient());
  EXPECT_FALSE(bias.gradient());
}

}  // namespace
}  // namespace yona::testing
