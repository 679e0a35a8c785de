#include "yona/train/optimiser.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/backend/backend.h"
#include "yona/backend/cpu/features.h"
#include "yona/nn/linear.h"
#include "yona/nn/norm.h"
#include "yona/tensor/operand.h"

#include "tests/harness/temp_dir.h"
#include "tests/harness/thread_ranks.h"

namespace yona {
namespace {

class Two : public Module {
 public:
  Two() {
    add("first", first_);
    add("second", second_);
  }
  Linear first_{2, 2}, second_{2, 1};
};

struct Fixture {
  explicit Fixture(const TrainConfig& config)
      : backend(make_backend("cpu", {.threads = 1})),
        parameters(model, *backend, Gradients::yes),
        optimiser(parameters, *backend, config) {
    parameters.initialise(3);
    optimiser.start_average();
    set_gradients(1.0F);
  }
  void set_gradients(float value) {
    parameters.gradients().upload(
        std::vector<float>(static_cast<std::size_t>(parameters.count()), value));
  }
  std::vector<float> weights() const { return parameters.weights().to_vector<float>(); }

  std::unique_ptr<Backend> backend;
  Two model;
  Parameters parameters;
  Optimiser optimiser;
};

TEST(Optimiser, MovesEveryWeightByTheRateInItsFirstStep) {
  Fixture f({});  // Adam's first step is rate · sign(gradient)
  const std::vector<float> before = f.weights();
  f.optimiser.step(1, 0.01);
  const std::vector<float> after = f.weights();
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_NEAR(after[i], before[i] - 0.01F, 1e-6);
  }
  EXPECT_NEAR(f.optimiser.gradient_norm(), std::sqrt(static_cast<double>(before.size())), 1e-6);
}

TEST(Optimiser, LeavesEverythingAsItIsWhenAGradientIsNotFinite) {
  TrainConfig config;
  config.ema = 0.9;
  Fixture f(config);
  const std::vector<float> before = f.weights();
  std::vector<float> gradients(before.size(), 1.0F);
  gradients[3] = std::numeric_limits<float>::quiet_NaN();
  f.parameters.gradients().upload(gradients);
  f.optimiser.step(1, 0.01);
  EXPECT_EQ(f.weights(), before);
  EXPECT_EQ(f.optimiser.m().to_vector<float>(), std::vector<float>(before.size(), 0.0F));
  EXPECT_EQ(f.optimiser.average().to_vector<float>(), before);
  EXPECT_FALSE(std::isfinite(f.optimiser.gradient_norm()));
}

TEST(Optimiser, KeepsFrozenParametersAndCountsThemInNoNorm) {
  TrainConfig config;
  config.freeze = {"first.*"};
  Fixture f(config);
  const std::vector<float> before = f.weights();
  f.optimiser.step(1, 0.01);
  const std::vector<float> after = f.weights();
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(after[i] == before[i], i < 6) << i;  // 2·2 weights and 2 biases of `first`
  }
  EXPECT_EQ(f.optimiser.frozen_count(), 6);
  EXPECT_NEAR(f.optimiser.gradient_norm(), std::sqrt(3.0), 1e-6);
}

TEST(Optimiser, WeightDecayReachesMatricesAndOnRequestEverything) {
  for (const DecayOn on : {DecayOn::matrices, DecayOn::all}) {
    TrainConfig config;
    Fixture without(config);
    config.weight_decay = 0.5;
    config.weight_decay_on = on;
    Fixture with(config);
    for (Fixture* f : {&without, &with}) {  // the biases are not 0
      f->parameters.weights().upload(std::vector<float>(9, 2.0F));
      f->optimiser.step(1, 0.01);
    }
    for (std::size_t i = 0; i < 9; ++i) {
      const bool is_bias = i == 4 || i == 5 || i == 8;  // [2, 2], [2], [1, 2], [1]
      const bool decays = !is_bias || on == DecayOn::all;
      EXPECT_NEAR(without.weights()[i] - with.weights()[i], decays ? 0.01 * 0.5 * 2.0 : 0.0, 1e-6)
          << i;
    }
  }
}

// The statistics of a batch norm are the forward pass's: no decay, no average.
TEST(Optimiser, LeavesWhatIsNotTrained) {
  TrainConfig config;
  config.weight_decay = 0.5;
  config.weight_decay_on = DecayOn::all;
  config.ema = 0.75;
  const auto backend = make_backend("cpu", {.threads = 1});
  LayerNorm model(2, NormKind::batch);
  Parameters parameters(model, *backend, Gradients::yes);
  parameters.initialise(3);
  Optimiser optimiser(parameters, *backend, config);
  optimiser.start_average();
  parameters.weights().upload(std::vector<float>(8, 2.0F));
  parameters.gradients().upload(std::vector<float>(8, 1.0F));
  optimiser.step(1, 0.01);
  EXPECT_EQ(optimiser.frozen_count(), 4);
  const auto kept = [&] {
    const std::vector<float> weights = parameters.weights().to_vector<float>();
    return std::vector<float>(weights.begin() + 4, weights.end());
  };
  EXPECT_LT(parameters.weights().to_vector<float>()[0], 2.0F);
  EXPECT_EQ(kept(), std::vector<float>(4, 2.0F));
  const WeightsInUse lent(parameters, optimiser);
  EXPECT_EQ(kept(), std::vector<float>(4, 2.0F));
}

// Each rank would have the statistics of its own tokens.
TEST(Optimiser, RefusesBatchNormOnSeveralRanks) {
  run_ranks(2, [](Communicator& ranks) {
    const auto backend = make_backend("cpu", {.threads = 1});
    LayerNorm model(2, NormKind::batch);
    Parameters parameters(model, *backend, Gradients::yes);
    EXPECT_THAT(testing::message_of<InvalidArgument>(
                    [&] { const Optimiser optimiser(parameters, *backend, {}, &ranks); }),
                ::testing::HasSubstr("train: running_mean is of a rank's own tokens"));
  });
}

TEST(Optimiser, SaysWhichPatternMatchesNothing) {
  TrainConfig config;
  config.freeze = {"encodr.*"};
  try {
    Fixture f(config);
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(),
                 "train.freeze: 'encodr.*' matches no parameter; `yona info` lists their names");
  }
  config.freeze = {"*"};
  EXPECT_THROW(Fixture{config}, InvalidArgument);
}

TEST(Optimiser, ClipsByTheGlobalNorm) {
  TrainConfig config;
  config.clip_norm = 1.5;
  Fixture f(config);
  f.optimiser.step(1, 0.01);
  // Nine gradients of 1 have norm 3; clipped to 1.5 each is 0.5, and m = (1 - β1) · 0.5.
  for (const float m : f.optimiser.m().to_vector<float>()) {
    EXPECT_NEAR(m, 0.05F, 1e-7);
  }
}

TEST(Optimiser, AveragesWeightsAndLendsThemForValidation) {
  TrainConfig config;
  config.ema = 0.75;
  Fixture f(config);
  const std::vector<float> before = f.weights();
  f.optimiser.step(1, 0.01);
  const std::vector<float> after = f.weights();
  const std::vector<float> average = f.optimiser.average().to_vector<float>();
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_NEAR(average[i], 0.75F * before[i] + 0.25F * after[i], 1e-6);
  }
  {
    const WeightsInUse lent(f.parameters, f.optimiser);
    EXPECT_EQ(f.weights(), average);
  }
  EXPECT_EQ(f.weights(), after);
}

// What products read of the weights, as bits.
std::vector<std::uint16_t> read_by_products(const Tensor& weights, Context& c) {
  const RoundedWeights copy(weights, c);
  const View view = operand_part(weights, c);
  EXPECT_EQ(view.dtype, DType::bf16);
  const auto* bits = view.row<std::uint16_t>(0);
  return {bits, bits + weights.elements()};
}

std::vector<std::uint16_t> in_bf16(const std::vector<float>& values) {
  std::vector<std::uint16_t> bits;
  std::transform(values.begin(), values.end(), std::back_inserter(bits), to_bf16);
  return bits;
}

// Products by tiles need no copy of the weights: while this lives they are off.
class WithoutTiles {
 public:
  WithoutTiles() { use_isa(std::min(Isa::avx2, widest_)); }
  ~WithoutTiles() { use_isa(widest_); }
  WithoutTiles(const WithoutTiles&) = delete;
  WithoutTiles& operator=(const WithoutTiles&) = delete;

 private:
  Isa widest_ = current_isa();
};

TEST(Optimiser, KeepsTheWeightsInBf16AsTheyChange) {
  const WithoutTiles without;
  TrainConfig config;
  config.precision = Precision::bf16;
  config.ema = 0.75;
  config.freeze = {"first.*"};
  Fixture f(config);
  const Tensor weights = f.parameters.weights();
  Region region(*f.backend, 1 << 16);
  Context c{.region = region, .precision = Precision::bf16};
  const StoragePtr kept = weights.storage()->rounded;
  ASSERT_TRUE(kept);
  EXPECT_EQ(read_by_products(weights, c), in_bf16(f.weights()));
  f.optimiser.step(1, 0.01);
  EXPECT_FALSE(weights.storage()->rounded_stale);  // nothing is left to do
  EXPECT_EQ(read_by_products(weights, c), in_bf16(f.weights()));
  {
    const WeightsInUse lent(f.parameters, f.optimiser);
    EXPECT_EQ(read_by_products(weights, c), in_bf16(f.weights()));
  }
  f.optimiser.step(2, 0.01);  // the copy was not needed in between
  EXPECT_EQ(read_by_products(weights, c), in_bf16(f.weights()));
  std::vector<float> others = f.weights();
  std::reverse(others.begin(), others.end());
  weights.upload(others);
  EXPECT_EQ(read_by_products(weights, c), in_bf16(others));
  EXPECT_EQ(weights.storage()->rounded.get(), kept.get());
}

TEST(Optimiser, TakesItsCopyWithIt) {
  const WithoutTiles without;
  const std::unique_ptr<Backend> backend = make_backend("cpu", {.threads = 1});
  Two model;
  Parameters parameters(model, *backend, Gradients::yes);
  parameters.initialise(3);
  TrainConfig config;
  config.precision = Precision::bf16;
  {
    const Optimiser optimiser(parameters, *backend, config);
    EXPECT_TRUE(parameters.weights().storage()->rounded);
  }
  EXPECT_FALSE(parameters.weights().storage()->rounded);
}

TEST(Matches, TreatsAStarAsAnyText) {
  EXPECT_TRUE(matches("encoder.*", "encoder.layers.0.norm.weight"));
  EXPECT_TRUE(matches("*.bias", "decoder.layers.1.feed_forward.inner.bias"));
  EXPECT_TRUE(matches("*layers.*.weight", "encoder.layers.0.norm.weight"));
  EXPECT_TRUE(matches("shared.weight", "shared.weight"));
  EXPECT_TRUE(matches("*", ""));
  EXPECT_FALSE(matches("encoder", "encoder.norm"));
  EXPECT_FALSE(matches("*.bias", "shared.weight"));
  EXPECT_FALSE(matches("", "x"));
}

}  // namespace
}  // namespace yona
