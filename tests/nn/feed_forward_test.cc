#include "yona/nn/feed_forward.h"

#include <gtest/gtest.h>

#include "yona/tensor/ops/gelu.h"

#include "tests/harness/bound_module.h"
#include "tests/harness/compare.h"
#include "tests/harness/tolerances.h"

namespace yona::testing {
namespace {

Tensor affine(const Tensor& x, const std::string& name, BoundModule& bound) {
  const Tensor product = matmul(x, bound[name + ".weight"], Transpose::yes, bound.c);
  return add_to_rows(product, bound[name + ".bias"], bound.c);
}

TEST(FeedForward, IsTwoProductsWithARectifierBetween) {
  FeedForward layer(4, {.d_ff = 9, .activation = FeedForwardActivation::relu}, 0.0);
  BoundModule bound(layer);
  const Ragged x = bound.input({3, 2}, 4);
  const Tensor hidden = relu(affine(x.values, "inner", bound), bound.c);
  expect_near(values_of(layer(x, bound.c).formed(bound.c).values),
              values_of(affine(hidden, "outer", bound)), kExactF64, "FFN(x)");
}

TEST(FeedForward, TakesGeluInstead) {
  FeedForward layer(4, {.d_ff = 9, .activation = FeedForwardActivation::gelu}, 0.0);
  BoundModule bound(layer);
  const Ragged x = bound.input({3, 2}, 4);
  const Tensor hidden = gelu(affine(x.values, "inner", bound), bound.c);
  expect_near(values_of(layer(x, bound.c).formed(bound.c).values),
              values_of(affine(hidden, "outer", bound)), kExactF64, "FFN(x)");
}

// The norm can form the last product in inference; in training the layer forms it.
TEST(FeedForward, LeavesTheLastProductToTheNormWhereThatCanFormIt) {
  for (const auto activation : {FeedForwardActivation::relu, FeedForwardActivation::silu}) {
    for (const bool gated : {false, true}) {
      FeedForward layer(4, {.d_ff = 9, .activation = activation, .gated = gated}, 0.0);
      BoundModule bound(layer);
      Context& c = bound.c;
      const Ragged x = bound.input({3, 2}, 4);
      const SubLayerResult left = layer(x, c);
      EXPECT_NE(left.last(), nullptr);
      EXPECT_EQ(left.values().values.cols(), 9);
      Tape tape;
      c.tape = &tape;
      const SubLayerResult formed = layer(x, c);
      EXPECT_EQ(formed.last(), nullptr);
      c.tape = nullptr;
      expect_near(values_of(left.formed(c).values), values_of(formed.values().values), kExactF64,
                  "FFN(x)");
    }
  }
}

// The mask of the hidden units does not depend on which activation made them.
TEST(FeedForward, DropsTheSameHiddenUnitsWithEitherActivation) {
  for (const auto activation : {FeedForwardActivation::relu, FeedForwardActivation::gelu}) {
    FeedForward layer(4, {.d_ff = 9, .activation = activation}, 0.4);
    BoundModule bound(layer);
    bound.c.training = true;
    const Ragged x = bound.input({3, 2}, 4);
    const Tensor inner = affine(x.values, "inner", bound);
    const bool rectified = activation == FeedForwardActivation::relu;
    const Tensor hidden = rectified ? relu(inner, bound.c) : gelu(inner, bound.c);
    const auto stream = static_cast<std::uint32_t>(mix(hash_name(""), 0)) & ~0xFFFU;
    const Dropout dropout = bound.c.dropout(0.4, stream);
    const Tensor kept =
        multiply(hidden, dropout_factors(dropout, values_of(hidden), *x.layout, 9), bound.c);
    expect_near(values_of(layer(x, bound.c).formed(bound.c).values),
                values_of(affine(kept, "outer", bound)), kExactF64, "FFN(x)");
  }
}

}  // namespace
}  // namespace yona::testing
