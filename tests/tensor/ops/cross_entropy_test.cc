#include "yona/tensor/ops/cross_entropy.h"

#include <cmath>

#include <gtest/gtest.h>

#include "yona/tensor/ops/linear.h"
#include "yona/tensor/ops/softmax.h"

#include "tests/harness/compare.h"
#include "tests/harness/op_case.h"
#include "tests/harness/plain_ops.h"
#include "tests/harness/temp_dir.h"
#include "tests/harness/tolerances.h"

namespace yona::testing {
namespace {

struct LossVariant {
  std::int64_t rows = 5, d = 4, vocabulary = 7;
  float smoothing = 0.0F;
  std::int64_t chunk = 0;

  std::string name() const {
    return fmt::format("{} rows, d {}, {} tokens, smoothing {}, chunks of {}", rows, d, vocabulary,
                       smoothing, chunk);
  }
};

std::vector<LossVariant> loss_variants() {
  return {{},
          {5, 4, 7, 0.1F},
          {5, 4, 7, 0.2F, 2},
          {6, 4, 7, 0.1F, 3},
          {1, 1, 1, 0.1F},
          {0, 4, 7, 0.1F},
          {3, 5, 2, 0.3F, 1},
          {4, 3, 131, 0.1F},
          {70, 3, 17, 0.1F, 64}};
}

std::vector<std::int32_t> targets(const LossVariant& variant) {
  std::vector<std::int32_t> ids;
  for (std::int64_t row = 0; row < variant.rows; ++row) {
    ids.push_back(static_cast<std::int32_t>(row * 3 % variant.vocabulary));
  }
  return ids;
}

std::vector<double> scales(const LossVariant& variant) {
  return random_values(variant.rows, 77, 0.1, 0.9);
}

CrossEntropyOptions options_of(const LossVariant& variant, Context& c) {
  return {.smoothing = variant.smoothing,
          .row_scale = tensor_of(scales(variant), {variant.rows}, DType::f32, c.region),
          .chunk_rows = variant.chunk};
}

// The loss of a row counts with its scale, the negative log-likelihood beside it does not.
std::vector<double> loss_weights(const LossVariant& variant, bool with_loss = true) {
  std::vector<double> weights;
  for (const double scale : scales(variant)) {
    weights.push_back(with_loss ? scale : 0.0);
    weights.push_back(0.0);
  }
  return weights;
}

// A row of the model's flat weights, as biases are: [V].
OpCase biased_loss(const LossVariant& variant) {
  return {variant.name() + ", with a bias",
          {{{variant.rows, variant.d}}, {{variant.vocabulary, variant.d}}, {{variant.vocabulary}}},
          [variant](const Inputs& x, Context& c) {
            CrossEntropyOptions options = options_of(variant, c);
            options.bias = x[2];
            return Inputs{
                linear_cross_entropy(x[0], x[1], ids_of(targets(variant), c.region), options, c)};
          },
          {loss_weights(variant)}};
}

OpCase fused_loss(const LossVariant& variant) {
  return {variant.name(),
          {{{variant.rows, variant.d}}, {{variant.vocabulary, variant.d}}},
          [variant](const Inputs& x, Context& c) {
            return Inputs{linear_cross_entropy(x[0], x[1], ids_of(targets(variant), c.region),
                                               options_of(variant, c), c)};
          },
          {loss_weights(variant)}};
}

// -q of kernel_args.h, times what each row counts: the weights of log p in the loss.
std::vector<double> minus_q(const LossVariant& variant, bool scaled) {
  std::vector<double> weights;
  const auto V = static_cast<double>(variant.vocabulary);
  const double smoothing = static_cast<double>(variant.smoothing);
  for (std::int64_t row = 0; row < variant.rows; ++row) {
    const auto r = static_cast<std::size_t>(row);
    for (std::int64_t j = 0; j < variant.vocabulary; ++j) {
      const double q = smoothing / V + (j == targets(variant)[r] ? 1.0 - smoothing : 0.0);
      weights.push_back(-q * (scaled ? scales(variant)[r] : 1.0));
    }
  }
  return weights;
}

TEST(LinearCrossEntropy, PassesEveryUseOfItsCases) {
  for (const LossVariant& variant : loss_variants()) {
    check_op(fused_loss(variant));
  }
}

TEST(LinearCrossEntropy, EqualsMatmulLogSoftmaxAndASum) {
  for (const LossVariant& variant : loss_variants()) {
    SCOPED_TRACE(variant.name());
    OpCase plain = fused_loss(variant);
    plain.op = [&](const Inputs& x, Context& c) {
      const Tensor log_p = log_softmax(matmul(x[0], x[1], Transpose::yes, c), c);
      add_to_gradient(log_p, minus_q(variant, true), c);
      return Inputs{log_p};
    };
    const OpResult actual = run_op(fused_loss(variant));
    const OpResult expected = run_op(plain);
    expect_near(actual.gradients[0], expected.gradients[0], kExactF64, "dx");
    expect_near(actual.gradients[1], expected.gradients[1], kExactF64, "dE");
    const std::vector<double>& log_p = expected.outputs[0];
    const std::vector<double> q = minus_q(variant, false);
    for (std::int64_t row = 0; row < variant.rows; ++row) {
      const auto r = static_cast<std::size_t>(row);
      const std::size_t first = r * static_cast<std::size_t>(variant.vocabulary);
      double loss = 0;
      for (std::size_t j = first; j < first + static_cast<std::size_t>(variant.vocabulary); ++j) {
        loss += q[j] * log_p[j];
      }
      EXPECT_NEAR(actual.outputs[0][2 * r], loss, kExactF64);
      EXPECT_NEAR(actual.outputs[0][2 * r + 1],
                  -log_p[first + static_cast<std::size_t>(targets(variant)[r])], kExactF64);
    }
  }
}

TEST(LinearCrossEntropy, AddsABiasToTheLogits) {
  for (const LossVariant& variant : loss_variants()) {
    SCOPED_TRACE(variant.name());
    check_op(biased_loss(variant));
    OpCase plain = biased_loss(variant);
    plain.op = [&](const Inputs& x, Context& c) {
      const Tensor log_p = log_softmax(linear(x[0], x[1], x[2], {}, c), c);
      add_to_gradient(log_p, minus_q(variant, true), c);
      return Inputs{log_p};
    };
    const OpResult actual = run_op(biased_loss(variant));
    const OpResult expected = run_op(plain);
    for (std::size_t i = 0; i < 3; ++i) {
      expect_near(actual.gradients[i], expected.gradients[i], kExactF64,
                  fmt::format("input {}", i));
    }
  }
}

TEST(LinearCrossEntropy, DoesNotDependOnTheChunks) {
  const LossVariant whole{6, 4, 7, 0.1F, 6};
  for (const std::int64_t chunk : {1, 2, 4, 100}) {
    LossVariant cut = whole;
    cut.chunk = chunk;
    expect_same(fused_loss(cut), fused_loss(whole));
  }
}

TEST(LinearCrossEntropy, TakesPartsOfLargerTensors) {
  const LossVariant variant{4, 5, 6, 0.1F, 3};
  check_op({"strided states, rows of a table",
            {{{4, 9}}, {{8, 5}}},
            [variant](const Inputs& x, Context& c) {
              return Inputs{linear_cross_entropy(x[0].columns(2, 5), x[1].row_range(0, 6),
                                                 ids_of(targets(variant), c.region),
                                                 options_of(variant, c), c)};
            },
            {loss_weights(variant)}});
}

TEST(LinearCrossEntropy, LeavesConstantProjectionsAlone) {
  OpCase some = fused_loss({});
  some.inputs[1].gradient = false;
  check_op(some);
}

TEST(LinearCrossEntropy, PassesItsGradientOnThroughTheTape) {
  const LossVariant variant{4, 3, 6, 0.1F, 3};
  check_op({"behind a product",
            {{{4, 2}}, {{3, 2}}, {{6, 3}}},
            [variant](const Inputs& x, Context& c) {
              return Inputs{linear_cross_entropy(matmul(x[0], x[1], Transpose::yes, c), x[2],
                                                 ids_of(targets(variant), c.region),
                                                 options_of(variant, c), c)};
            },
            {loss_weights(variant)}});
}

TEST(LinearCrossEntropy, IsFiniteForLargeLogits) {
  const OpCase large{"large",
                     {{{2, 1}}, {{3, 1}}},
                     [](const Inputs& x, Context& c) {
                       set_values(x[0], {300, -300});
                       set_values(x[1], {100, -100, 0});
                       return Inputs{linear_cross_entropy(
                           x[0], x[1], ids_of({0, 0}, c.region),
                           {.row_scale = tensor_of({1, 1}, {2}, DType::f32, c.region)}, c)};
                     },
                     {{1, 0, 1, 0}}};
  for (const OpRun& run : {OpRun{}, OpRun{.backend = "cpu", .dtype = DType::f32}}) {
    const OpResult result = run_op(large, run);
    expect_near(result.outputs[0], {0, 0, 60000, 60000}, 1e-6, "losses");
    expect_near(result.gradients[0], {0, -200}, 1e-6, "dx");
  }
}

TEST(LinearCrossEntropy, NeedsNoRowScaleWithoutGradients) {
  Region region(shared_backend("cpu"), 1 << 20);
  Context c{.region = region};
  const Tensor losses =
      linear_cross_entropy(c.zeros(DType::f32, {3, 2}), c.zeros(DType::f32, {4, 2}),
                           ids_of({0, 1, 2}, region), {.smoothing = 0.1F}, c);
  expect_near(values_of(losses), std::vector<double>(6, std::log(4.0)), 1e-6, "losses");
}

// ---- R-Drop ------------------------------------------------------------------------------------

OpCase fused_rdrop(const LossVariant& variant, float alpha) {
  std::vector<double> weights = loss_weights(variant);
  const std::vector<double> second = loss_weights(variant);
  weights.insert(weights.end(), second.begin(), second.end());
  return {
      variant.name(),
      {{{variant.rows, variant.d}}, {{variant.rows, variant.d}}, {{variant.vocabulary, variant.d}}},
      [variant, alpha](const Inputs& x, Context& c) {
        return Inputs{linear_rdrop(x[0], x[1], x[2], ids_of(targets(variant), c.region), alpha,
                                   options_of(variant, c), c)};
      },
      {weights}};
}

TEST(LinearRDrop, PassesEveryUseOfItsCases) {
  for (const LossVariant& variant : loss_variants()) {
    check_op(fused_rdrop(variant, 0.7F));
  }
}

TEST(LinearRDrop, IsTwoCrossEntropiesWithoutAlpha) {
  for (const LossVariant& variant : loss_variants()) {
    OpCase plain = fused_rdrop(variant, 0.0F);
    plain.op = [&](const Inputs& x, Context& c) {
      const Tensor ids = ids_of(targets(variant), c.region);
      const CrossEntropyOptions options = options_of(variant, c);
      const Tensor losses = c.empty(x[0].dtype(), {2 * variant.rows, 2});
      std::vector<double> all = values_of(linear_cross_entropy(x[0], x[2], ids, options, c));
      const std::vector<double> second =
          values_of(linear_cross_entropy(x[1], x[2], ids, options, c));
      all.insert(all.end(), second.begin(), second.end());
      set_values(losses, all);
      return Inputs{losses};
    };
    expect_same(fused_rdrop(variant, 0.0F), plain);
  }
}

// The rest of the loss of the first rows is alpha ½ Σ (p - p') (log p - log p').
TEST(LinearRDrop, AddsTheSymmetricDivergenceToTheFirstPass) {
  const LossVariant variant{5, 4, 7, 0.1F, 2};
  const OpResult without = run_op(fused_rdrop(variant, 0.0F));
  const OpResult with = run_op(fused_rdrop(variant, 0.7F));
  OpCase plain = fused_rdrop(variant, 0.0F);
  plain.op = [&](const Inputs& x, Context& c) {
    return Inputs{log_softmax(matmul(x[0], x[2], Transpose::yes, c), c),
                  log_softmax(matmul(x[1], x[2], Transpose::yes, c), c)};
  };
  const OpResult log_p = run_op(plain);
  for (std::size_t row = 0; row < 5; ++row) {
    double divergence = 0;
    for (std::size_t j = row * 7; j < row * 7 + 7; ++j) {
      const double a = log_p.outputs[0][j];
      const double b = log_p.outputs[1][j];
      divergence += 0.5 * (std::exp(a) - std::exp(b)) * (a - b);
    }
    EXPECT_GT(divergence, 0.0);
    const double alpha = static_cast<double>(0.7F);
    EXPECT_NEAR(with.outputs[0][2 * row] - without.outputs[0][2 * row], alpha * divergence, 1e-12);
    EXPECT_EQ(with.outputs[0][2 * row + 1], without.outputs[0][2 * row + 1]);
    EXPECT_EQ(with.outputs[0][10 + 2 * row], without.outputs[0][10 + 2 * row]);
  }
}

TEST(LinearRDrop, TakesOneTensorForBothPasses) {
  const LossVariant variant{5, 4, 7, 0.1F, 2};
  OpCase one = fused_rdrop(variant, 0.7F);
  one.inputs.erase(one.inputs.begin());
  one.op = [variant](const Inputs& x, Context& c) {
    return Inputs{linear_rdrop(x[0], x[0], x[1], ids_of(targets(variant), c.region), 0.7F,
                               options_of(variant, c), c)};
  };
  check_op(one);
}

TEST(LinearCrossEntropy, RefusesWhatDoesNotFit) {
  Region region(shared_backend("reference"), 1 << 20);
  Tape tape;
  Context c{.region = region, .tape = &tape};
  const Tensor x = c.zeros(DType::f32, {3, 4});
  const Tensor E = c.zeros(DType::f32, {5, 4});
  const Tensor ids = ids_of({0, 1, 2}, region);
  EXPECT_EQ(message_of<InvalidArgument>([&] {
              linear_cross_entropy(x, c.zeros(DType::f32, {5, 3}), ids, {}, c);
            }),
            "cross_entropy: input [3, 4] does not fit the projection [5, 3]");
  EXPECT_EQ(message_of<InvalidArgument>([&] {
              linear_cross_entropy(x, E, ids_of({0, 1}, region), {}, c);
            }),
            "cross_entropy: 2 targets for 3 rows");
  for (const float smoothing : {-0.1F, 1.0F}) {
    EXPECT_EQ(message_of<InvalidArgument>(
                  [&] { linear_cross_entropy(x, E, ids, {.smoothing = smoothing}, c); }),
              fmt::format("cross_entropy: label smoothing {} is not in [0, 1)", smoothing));
  }
  EXPECT_EQ(message_of<InvalidArgument>([&] {
              linear_rdrop(x, c.zeros(DType::f32, {2, 4}), E, ids, 1.0F, {}, c);
            }),
            "rdrop: passes of shape [3, 4] and [2, 4] differ");
  x.set_requires_gradient();
  EXPECT_EQ(message_of<InvalidArgument>([&] { linear_cross_entropy(x, E, ids, {}, c); }),
            "cross_entropy: training needs one row scale for each of 3 rows");
}

}  // namespace
}  // namespace yona::testing
