#include "yona/nn/block.h"

#include <gtest/gtest.h>

#include "yona/tensor/ops/add.h"

#include "tests/harness/bound_module.h"
#include "tests/harness/compare.h"
#include "tests/harness/tolerances.h"

namespace yona::testing {
namespace {

constexpr std::int64_t kModel = 6;

BlockOptions options_with(NormPosition position) {
  return {.d_model = kModel,
          .heads = {.heads = 2, .d_k = 3, .d_v = 4},
          .feed_forward = {.d_ff = 9},
          .norm = {.position = position}};
}

// The sub-layer and the norm of a block by themselves, in the block's order: BoundModule gives
// them the same weights.
template <class SubLayer>
struct Apart : Module {
  template <class... Args>
  explicit Apart(const Args&... args) : sub_layer(args...), norm(kModel) {
    add("sub_layer", sub_layer);
    add("norm", norm);
  }
  SubLayer sub_layer;
  LayerNorm norm;
};

// LN(x + f(x)) or x + f(LN(x)), by plain ops.
template <class Layer, class F>
Tensor composed(const Layer& apart, const Ragged& x, NormPosition position, const F& f,
                Context& c) {
  if (position == NormPosition::post) {
    const Ragged sum = x.with(add(x.values, f(x).formed(c).values, c));
    return apart.norm(sum, c).values;
  }
  return add(x.values, f(apart.norm(x, c)).formed(c).values, c);
}

std::vector<std::string> names_of(Module& module) {
  std::vector<std::string> names;
  module.visit([&](const std::string& name, Parameter& /*p*/) { names.push_back(name); });
  return names;
}

TEST(Block, AttendsToItselfAroundTheResidualStream) {
  for (const NormPosition position : {NormPosition::post, NormPosition::pre}) {
    const BlockOptions options = options_with(position);
    SelfAttentionBlock block(options);
    BoundModule bound(block);
    Apart<MultiHeadAttention> apart(kModel, options.heads, options.attention);
    BoundModule plain(apart);
    const Ragged x = bound.input({2, 3}, kModel);
    const auto f = [&](const Ragged& z) { return apart.sub_layer(z, Mask::causal, plain.c); };
    expect_near(values_of(block(x, Mask::causal, bound.c).sum(bound.c).values),
                values_of(composed(apart, x, position, f, plain.c)), kExactF64, "self-attention");
  }
}

TEST(Block, AttendsToAMemoryAroundTheResidualStream) {
  for (const NormPosition position : {NormPosition::post, NormPosition::pre}) {
    const BlockOptions options = options_with(position);
    CrossAttentionBlock block(options);
    BoundModule bound(block);
    Apart<MultiHeadAttention> apart(kModel, options.heads, options.attention);
    BoundModule plain(apart);
    const Ragged x = bound.input({2, 3}, kModel);
    const Ragged memory = bound.input({4, 1}, kModel, 8);
    const auto f = [&](const Ragged& z) { return apart.sub_layer(z, memory, plain.c); };
    expect_near(values_of(block(x, memory, bound.c).sum(bound.c).values),
                values_of(composed(apart, x, position, f, plain.c)), kExactF64, "cross-attention");
  }
}

TEST(Block, FeedsForwardAroundTheResidualStream) {
  for (const NormPosition position : {NormPosition::post, NormPosition::pre}) {
    const BlockOptions options = options_with(position);
    FeedForwardBlock block(options);
    BoundModule bound(block);
    Apart<FeedForward> apart(kModel, options.feed_forward, 0.0);
    BoundModule plain(apart);
    const Ragged x = bound.input({2, 3}, kModel);
    const auto f = [&](const Ragged& z) { return apart.sub_layer(z, plain.c); };
    expect_near(values_of(block(x, bound.c).sum(bound.c).values),
                values_of(composed(apart, x, position, f, plain.c)), kExactF64, "feed-forward");
  }
}

TEST(Block, RegistersSubLayerAndNormAsPartsOfTheLayer) {
  BlockOptions options = options_with(NormPosition::post);
  options.attention_biases = {Biases::no, Biases::no};
  CrossAttentionBlock cross(options);
  EXPECT_EQ(names_of(cross), (std::vector<std::string>{
                                 "cross_attention.query.weight", "cross_attention.key.weight",
                                 "cross_attention.value.weight", "cross_attention.output.weight",
                                 "cross_attention_norm.weight", "cross_attention_norm.bias"}));
  FeedForwardBlock feed_forward(options);
  EXPECT_EQ(names_of(feed_forward),
            (std::vector<std::string>{"feed_forward.inner.weight", "feed_forward.inner.bias",
                                      "feed_forward.outer.weight", "feed_forward.outer.bias",
                                      "feed_forward_norm.weight", "feed_forward_norm.bias"}));
  SelfAttentionBlock self(options);
  EXPECT_EQ(names_of(self).front(), "self_attention.query.weight");
  EXPECT_EQ(names_of(self).back(), "self_attention_norm.bias");
}

}  // namespace
}  // namespace yona::testing
