#include "yona/nn/layers.h"

#include <gtest/gtest.h>

#include "tests/harness/bound_module.h"
#include "tests/harness/compare.h"
#include "tests/harness/tolerances.h"

namespace yona::testing {
namespace {

// A layer without cross-attention: GPT's with a causal mask, BERT's with none.
class GptLayer : public Module {
 public:
  explicit GptLayer(const BlockOptions& options) : attention_(options), feed_forward_(options) {
    add(attention_);
    add(feed_forward_);
  }
  Residual operator()(Residual x, const Sight& sight, Context& c) const {
    return feed_forward_(attention_(std::move(x), sight, c), c);
  }

 private:
  SelfAttentionBlock attention_;
  FeedForwardBlock feed_forward_;
};

BlockOptions small(NormPosition position) {
  return {.d_model = 4,
          .heads = {.heads = 2, .d_k = 2, .d_v = 2},
          .feed_forward = {.d_ff = 8, .activation = FeedForwardActivation::gelu_tanh},
          .norm = {.position = position}};
}

struct TwoLayers : Module {
  explicit TwoLayers(const BlockOptions& options) : first(options), second(options), norm(4) {
    add("layers.0", first);
    add("layers.1", second);
    if (options.norm.position == NormPosition::pre) {
      add("norm", norm);
    }
  }
  GptLayer first, second;
  LayerNorm norm;
};

TEST(Layers, AreTheirLayersInTurnAndThenTheNorm) {
  for (const NormPosition position : {NormPosition::post, NormPosition::pre}) {
    Layers<GptLayer> layers(2, small(position));
    TwoLayers apart(small(position));
    BoundModule bound(layers);
    BoundModule plain(apart);
    ASSERT_EQ(bound.parameters.count(), plain.parameters.count());
    const Ragged x = bound.input({3, 2}, 4);
    Context& c = plain.c;
    const Ragged two = apart.second(apart.first(x, Mask::causal, c).sum(c), Mask::causal, c).sum(c);
    const Ragged expected = position == NormPosition::pre ? apart.norm(two, c) : two;
    expect_near(values_of(layers(x, Mask::causal, bound.c).values), values_of(expected.values),
                kExactF64, "layers");
  }
}

TEST(Layers, AreNamedByNumberUnderTheModuleThatHasThem) {
  struct Model : Module {
    Model() : layers(2, small(NormPosition::pre)) { add(layers); }
    Layers<GptLayer> layers;
  } model;
  std::vector<std::string> names;
  model.visit([&](const std::string& name, Parameter& /*p*/) { names.push_back(name); });
  EXPECT_EQ(names.front(), "layers.0.self_attention.query.weight");
  EXPECT_EQ(names[names.size() / 2 - 1], "layers.1.self_attention.query.weight");
  EXPECT_EQ(names.back(), "norm.bias");
}

TEST(Layers, SeeNothingBehindAPlaceWithACausalMask) {
  Layers<GptLayer> layers(2, small(NormPosition::pre));
  BoundModule bound(layers);
  const Ragged x = bound.input({4}, 4);
  const std::vector<double> before = values_of(layers(x, Mask::causal, bound.c).values);
  std::vector<double> changed = values_of(x.values);
  changed.back() += 1.0;
  set_values(x.values, changed);
  const std::vector<double> after = values_of(layers(x, Mask::causal, bound.c).values);
  const std::vector<double> all = values_of(layers(x, Mask::none, bound.c).values);
  for (std::size_t i = 0; i < 12; ++i) {
    EXPECT_EQ(after[i], before[i]);
    EXPECT_NE(after[i], all[i]);
  }
  EXPECT_NE(after.back(), before.back());
}

}  // namespace
}  // namespace yona::testing
