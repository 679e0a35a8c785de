#include "yona/nn/attention/multi_head.h"

#include <cmath>

#include <gtest/gtest.h>

#include "yona/tensor/ops/softmax.h"

#include "tests/harness/bound_module.h"
#include "tests/harness/compare.h"
#include "tests/harness/tolerances.h"

namespace yona::testing {
namespace {

constexpr HeadShape kThreeHeads{.heads = 3, .d_k = 2, .d_v = 5};
constexpr std::int64_t kModel = 7;

Tensor affine(const Tensor& x, const std::string& name, BoundModule& bound) {
  const Tensor product = matmul(x, bound[name + ".weight"], Transpose::yes, bound.c);
  return add_to_rows(product, bound[name + ".bias"], bound.c);
}

// MultiHead of one sentence, head by head: Concat(head_1 … head_h) W^O is the sum over heads of
// head_i times its own columns of W^O.
std::vector<double> one_sentence(const Tensor& x, const Tensor& memory, bool causal,
                                 BoundModule& bound) {
  Context& c = bound.c;
  const Tensor Q = affine(x, "query", bound);
  const Tensor K = affine(memory, "key", bound);
  const Tensor V = affine(memory, "value", bound);
  Tensor y = c.zeros(DType::f64, {x.rows(), kModel});
  for (std::int64_t i = 0; i < kThreeHeads.heads; ++i) {
    const Tensor q = Q.columns(i * kThreeHeads.d_k, kThreeHeads.d_k);
    const Tensor k = K.columns(i * kThreeHeads.d_k, kThreeHeads.d_k);
    const Tensor v = V.columns(i * kThreeHeads.d_v, kThreeHeads.d_v);
    std::vector<double> scores = values_of(matmul(q, k, Transpose::yes, c));
    for (std::int64_t row = 0; row < x.rows(); ++row) {
      for (std::int64_t column = 0; column < memory.rows(); ++column) {
        double& score = scores[static_cast<std::size_t>(row * memory.rows() + column)];
        score = causal && column > row ? -INFINITY : score / std::sqrt(2.0);
      }
    }
    const Tensor p =
        softmax(tensor_of(scores, {x.rows(), memory.rows()}, DType::f64, bound.region), c);
    const Tensor W = bound["output.weight"].columns(i * kThreeHeads.d_v, kThreeHeads.d_v);
    y = add(y, matmul(matmul(p, v, Transpose::no, c), W, Transpose::yes, c), c);
  }
  return values_of(add_to_rows(y, bound["output.bias"], c));
}

void expect_heads(const Ragged& actual, const Ragged& x, const Ragged& memory, bool causal,
                  BoundModule& bound) {
  std::vector<double> expected;
  for (std::int64_t s = 0; s < x.layout->sentences; ++s) {
    const auto rows_of = [s](const Ragged& side) {
      const std::int64_t* offsets = side.layout->offsets_data();
      return side.values.row_range(offsets[s], offsets[s + 1] - offsets[s]);
    };
    const std::vector<double> part = one_sentence(rows_of(x), rows_of(memory), causal, bound);
    expected.insert(expected.end(), part.begin(), part.end());
  }
  // The scale 1/√d_k is an f32.
  expect_near(values_of(actual.values), expected, 1e-7, "MultiHead(x)");
}

TEST(MultiHeadAttention, IsTheSumOfItsHeadsOverTheSentencesOwnTokens) {
  MultiHeadAttention layer(kModel, kThreeHeads, {});
  BoundModule bound(layer);
  const Ragged x = bound.input({3, 1, 4}, kModel);
  expect_heads(layer(x, Mask::none, bound.c).formed(bound.c), x, x, false, bound);
  expect_heads(layer(x, Mask::causal, bound.c).formed(bound.c), x, x, true, bound);
}

TEST(MultiHeadAttention, LeavesTheLastProductToTheNormWhereThatCanFormIt) {
  MultiHeadAttention layer(kModel, kThreeHeads, {});
  BoundModule bound(layer);
  const Ragged x = bound.input({3, 1, 4}, kModel);
  EXPECT_NE(layer(x, Mask::causal, bound.c).last(), nullptr);
  Tape tape;
  bound.c.tape = &tape;
  EXPECT_EQ(layer(x, Mask::causal, bound.c).last(), nullptr);
}

TEST(MultiHeadAttention, HasTheBiasesThatAreAskedFor) {
  MultiHeadAttention layer(kModel, kThreeHeads, {}, {.qkv = Biases::yes, .output = Biases::no});
  std::vector<std::string> names;
  layer.visit([&](const std::string& name, Parameter&) { names.push_back(name); });
  EXPECT_EQ(names,
            (std::vector<std::string>{"query.weight", "key.weight", "value.weight", "query.bias",
                                      "key.bias", "value.bias", "output.weight"}));
}

TEST(MultiHeadAttention, LooksIntoAMemoryOfOtherLengths) {
  MultiHeadAttention layer(kModel, kThreeHeads, {});
  BoundModule bound(layer);
  const Ragged x = bound.input({3, 1, 4}, kModel);
  const Ragged memory = bound.input({2, 5, 1}, kModel, 8);
  expect_heads(layer(x, memory, bound.c).formed(bound.c), x, memory, false, bound);
}

TEST(MultiHeadAttention, HasAVectorPerHeadWhenAdditive) {
  MultiHeadAttention layer(kModel, kThreeHeads, {.kind = AttentionKind::additive});
  BoundModule bound(layer);
  EXPECT_EQ(bound["attend.vector"].shape(), (Shape{3, 2}));
  const Ragged x = bound.input({3, 1}, kModel);
  EXPECT_EQ(layer(x, Mask::causal, bound.c).formed(bound.c).values.shape(), (Shape{4, kModel}));
}

}  // namespace
}  // namespace yona::testing
