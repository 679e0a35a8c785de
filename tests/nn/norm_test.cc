#include "yona/nn/norm.h"

#include <gtest/gtest.h>

#include "yona/tensor/ops/add.h"

#include "tests/harness/bound_module.h"
#include "tests/harness/compare.h"
#include "tests/harness/tolerances.h"

namespace yona::testing {
namespace {

// A sub-layer that can be told from the identity.
Ragged tripled(const Ragged& x, Context& c) { return x.with(scale(x.values, 3.0F, c)); }

// f with the residual connection and the norm around it.
template <class SubLayer>
Residual around(const SubLayer& f, const ResidualNormLayer& norm, Residual x, Context& c) {
  const ResidualBranch b = norm.branch(std::move(x), c);
  return norm.merge(b, f(b.input), c);
}

TEST(Norm, FollowsTheSumInThePapersOrder) {
  ResidualNormLayer layer(6, {});
  BoundModule bound(layer);
  const Ragged x = bound.input({2, 3}, 6);
  const Ragged y =
      around([&](const Ragged& z) { return tripled(z, bound.c); }, layer, x, bound.c).sum(bound.c);
  const Tensor sum = scale(x.values, 4.0F, bound.c);
  const Tensor expected = layer_norm(sum, bound["weight"], bound["bias"], kNormEpsilon, bound.c);
  expect_near(values_of(y.values), values_of(expected), kExactF64, "LN(x + f(x))");
}

TEST(Norm, IsOfTheSubLayerAloneWithoutResidual) {
  ResidualNormLayer layer(6, {.residual = false});
  BoundModule bound(layer);
  const Ragged x = bound.input({2, 3}, 6);
  const Ragged y =
      around([&](const Ragged& z) { return tripled(z, bound.c); }, layer, x, bound.c).sum(bound.c);
  const Tensor alone = scale(x.values, 3.0F, bound.c);
  const Tensor expected = layer_norm(alone, bound["weight"], bound["bias"], kNormEpsilon, bound.c);
  expect_near(values_of(y.values), values_of(expected), kExactF64, "LN(f(x))");
}

TEST(Norm, PrecedesTheSubLayerInTheOther) {
  ResidualNormLayer layer(6, {.position = NormPosition::pre});
  BoundModule bound(layer);
  const Ragged x = bound.input({2, 3}, 6);
  const Ragged y =
      around([&](const Ragged& z) { return tripled(z, bound.c); }, layer, x, bound.c).sum(bound.c);
  const Tensor normed = layer_norm(x.values, bound["weight"], bound["bias"], kNormEpsilon, bound.c);
  const Tensor expected = add(x.values, normed, bound.c, 1.0F, 3.0F);
  expect_near(values_of(y.values), values_of(expected), kExactF64, "x + f(LN(x))");
}

// Two sub-layers behind each other: the second one's norm adds up what the first one gave.
TEST(Norm, AddsUpWhatTheSubLayerBeforeGave) {
  for (const NormKind kind : {NormKind::layer, NormKind::rms, NormKind::batch}) {
    ResidualNormLayer layer(6, {.position = NormPosition::pre, .dropout = 0.5, .kind = kind});
    BoundModule bound(layer);
    Context& c = bound.c;
    c.training = true;
    const auto run = [&](bool formed) {
      Tape tape;
      c.tape = &tape;
      const Ragged x = bound.input({2, 3}, 6);
      Residual y = around([&](const Ragged& z) { return tripled(z, c); }, layer, x, c);
      if (formed) {
        y = y.sum(c);
      }
      const Ragged z = around([&](const Ragged& u) { return tripled(u, c); }, layer, y, c).sum(c);
      add_to_gradient(z.values, random_values(30, 5), c);
      tape.backward();
      return std::pair(values_of(z.values), values_of(x.values.gradient()));
    };
    const auto [apart, apart_gradient] = run(true);
    const auto [fused, fused_gradient] = run(false);
    expect_near(fused, apart, kExactF64, "values");
    expect_near(fused_gradient, apart_gradient, kExactF64, "gradients");
  }
}

// A sub-layer of a module, whose last product may wait for the norm.
struct LastProduct : Module {
  explicit LastProduct(const ResidualNormOptions& options) : norm(6, options) {
    add("linear", linear);
    add("norm", norm);
  }
  Linear linear{4, 6};
  ResidualNormLayer norm;
};

// In both orders, and where the norm has none to make it with (rms) or the sum is wanted.
TEST(Norm, MakesTheProductThatWaitsForIt) {
  for (const NormPosition position : {NormPosition::post, NormPosition::pre}) {
    for (const NormKind kind : {NormKind::layer, NormKind::rms, NormKind::batch}) {
      LastProduct layer({.position = position, .kind = kind});
      BoundModule bound(layer);
      Context& c = bound.c;
      c.training = kind == NormKind::batch;  // its variance is then one
      const Ragged x = bound.input({2, 3}, 6);
      const Ragged a = bound.input({2, 3}, 4, 8);
      const auto run = [&](const auto& sub_layer) {
        Residual y = around(sub_layer, layer.norm, x, c);
        const LayerNorm::Result last = layer.norm.of_sum(y, c);
        return std::vector{values_of(y.sum(c).values), values_of(last.sum.values),
                           values_of(last.normed.values)};
      };
      const auto waiting = run([&](const Ragged&) { return SubLayerResult(a, layer.linear, c); });
      const auto formed = run([&](const Ragged&) { return layer.linear(a, c); });
      for (std::size_t i = 0; i < formed.size(); ++i) {
        expect_near(waiting[i], formed[i], kExactF64, "result " + std::to_string(i));
      }
    }
  }
}

TEST(Norm, OfBatchesKeepsStatisticsThatAreNotTrained) {
  LayerNorm norm(6, NormKind::batch);
  const Parameters parameters(norm, shared_backend("reference"), Gradients::no);
  std::vector<std::string> trained, kept;
  for (const Parameters::Entry& entry : parameters.entries()) {
    (entry.trained ? trained : kept).push_back(entry.name);
  }
  EXPECT_EQ(trained, (std::vector<std::string>{"weight", "bias"}));
  EXPECT_EQ(kept, (std::vector<std::string>{"running_mean", "running_variance"}));
}

TEST(Norm, LetsNoProductWaitInTraining) {
  LastProduct layer({});
  BoundModule bound(layer);
  const Ragged a = bound.input({2, 3}, 4);
  EXPECT_EQ(SubLayerResult(a, layer.linear, bound.c).last(), &layer.linear);
  Tape tape;
  bound.c.tape = &tape;
  const SubLayerResult formed(a, layer.linear, bound.c);
  EXPECT_EQ(formed.last(), nullptr);
  EXPECT_EQ(formed.values().values.cols(), 6);
}

TEST(Norm, KeepsNoValuesOfTheSubLayerForBackward) {
  for (const NormPosition position : {NormPosition::post, NormPosition::pre}) {
    ResidualNormLayer layer(6, {.position = position});
    BoundModule bound(layer);
    Tape tape;
    bound.c.tape = &tape;
    const Ragged x = bound.input({2, 3}, 6);
    Tensor inner;
    const Residual y =
        around([&](const Ragged& z) { return z.with(inner = tripled(z, bound.c).values); }, layer,
               x, bound.c);
    EXPECT_EQ(inner.storage()->discarded, position == NormPosition::post);
    layer.of_sum(y, bound.c);
    EXPECT_TRUE(inner.storage()->discarded);
    EXPECT_FALSE(x.values.storage()->discarded);
    around([&](const Ragged& /*z*/) { return x; }, layer, x, bound.c).sum(bound.c);
    EXPECT_FALSE(x.values.storage()->discarded);
  }
}

TEST(Norm, DropsTheSubLayersOutputAlikeInBothOrders) {
  const auto dropped = [](NormPosition position) {
    ResidualNormLayer layer(6, {.position = position, .dropout = 0.5});
    BoundModule bound(layer);
    bound.c.training = true;
    const Ragged x = bound.input({2, 3}, 6);
    set_values(x.values, std::vector<double>(30, 0.0));
    const Ragged y = around(
                         [&](const Ragged& z) {
                           return z.with(tensor_of(std::vector<double>(30, 1.0), {5, 6}, DType::f64,
                                                   bound.region));
                         },
                         layer, x, bound.c)
                         .sum(bound.c);
    std::vector<bool> kept;
    if (position == NormPosition::pre) {
      for (const double value : values_of(y.values)) {
        kept.push_back(value > 0);
      }
    } else {  // undo weight and bias
      const std::vector<double> values = values_of(y.values);
      const std::vector<double> weight = values_of(bound["weight"]);
      const std::vector<double> bias = values_of(bound["bias"]);
      for (std::size_t i = 0; i < values.size(); ++i) {
        kept.push_back((values[i] - bias[i % 6]) / weight[i % 6] > 0);
      }
    }
    return kept;
  };
  EXPECT_EQ(dropped(NormPosition::post), dropped(NormPosition::pre));
}

}  // namespace
}  // namespace yona::testing
