// The whole model on the device: losses and gradients beside the CPU's, with dropout on, which
// decides alike everywhere; the same bits from the same step; and training that goes as on the CPU.

#include <cmath>

#include "yona/tasks/seq2seq/seq2seq_objective.h"
#include "yona/train/learner.h"
#include "yona/train/optimiser.h"

#include "tests/backend/cuda/both.h"
#include "tests/harness/tolerances.h"

namespace yona::testing {
namespace {

// Both sides are in f32: rectifiers that open on the other side of zero are the largest part.
constexpr double kTwoModelsF32 = 5 * kModelF32;
constexpr std::int32_t kVocabulary = 507;  // odd without <pad>: products see more columns

// Targets are the source in reverse, so that there is something to learn.
Batch batch_of(std::uint64_t key, std::int64_t sentences, std::int64_t longest) {
  RandomSequence random(key);
  Batch batch;
  batch.clear();
  for (std::int64_t s = 0; s < sentences; ++s) {
    const auto length =
        1 + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(longest)));
    std::vector<std::int32_t> ids;
    for (std::int64_t t = 0; t < length; ++t) {
      ids.push_back(static_cast<std::int32_t>(2 + random.below(40)));
    }
    batch.sides[kSource].ids.insert(batch.sides[kSource].ids.end(), ids.begin(), ids.end());
    batch.sides[kTarget].ids.insert(batch.sides[kTarget].ids.end(), ids.rbegin(), ids.rend());
    batch.sides[kSource].end_example();
    batch.sides[kTarget].end_example();
    batch.example_ids.push_back(batch.example_ids.size());
    batch.weights.push_back(1.0F);
  }
  return batch;
}

struct ModelCase {
  NormPosition norm = NormPosition::post;
  std::int64_t heads = 4;
  std::int64_t longest = 30;
  bool t5 = false;  // as T5's later versions are made (io/t5.h)
};

TransformerConfig config_of(const ModelCase& of) {
  TransformerConfig config = preset("tiny");
  config.source_vocabulary = config.target_vocabulary = kVocabulary;
  config.encoder_layers = config.decoder_layers = 2;
  config.norm = of.norm;
  config.heads = of.heads;
  config.dropout = 0.1;
  config.attention_dropout = 0.1;
  if (of.t5) {
    config.norm = NormPosition::pre;
    config.positions = PositionKind::relative;
    config.activation = FeedForwardActivation::gelu_tanh;
    config.departures.norm_kind = NormKind::rms;
    config.departures.gated = true;
    config.departures.biases = false;
    config.departures.relative_reach = 40;
  }
  return config;
}

// A model in training on one backend.
class Training {
 public:
  Training(const TransformerConfig& config, Backend& backend, Precision precision)
      : objective_(config, {}),
        parameters_(objective_.model(), backend, Gradients::yes),
        optimiser_(parameters_, backend, train_config(precision)),
        learner_(objective_, parameters_, backend, precision) {
    parameters_.initialise(3);
  }
  // The loss per token; gradients are left in place.
  double forward_and_back(const Batch& batch, std::uint64_t update) {
    parameters_.zero_gradients();
    const LossSums sums =
        learner_.accumulate(batch, {.seed = 5, .update = update}, objective_.weight(batch)).read();
    return sums.loss / static_cast<double>(sums.rows);
  }
  double step(const Batch& batch, std::int64_t update) {
    const double loss = forward_and_back(batch, static_cast<std::uint64_t>(update));
    optimiser_.step(update, 1e-3);
    return loss;
  }
  std::vector<double> gradients() const { return values_of(parameters_.gradients()); }
  std::vector<double> weights() const { return values_of(parameters_.weights()); }

 private:
  static TrainConfig train_config(Precision precision) {
    TrainConfig config;
    config.precision = precision;
    return config;
  }

  Seq2SeqObjective objective_;
  Parameters parameters_;
  Optimiser optimiser_;
  Learner learner_;
};

class CudaModel : public CudaTest {
 protected:
  static Backend& cpu() { return shared_backend("cpu", 2); }
};

TEST_F(CudaModel, HasTheCpusLossAndGradients) {
  for (const ModelCase& each :
       {ModelCase{}, ModelCase{.heads = 2, .longest = 60}, ModelCase{.longest = 90},
        ModelCase{.norm = NormPosition::pre}, ModelCase{.heads = 1, .longest = 20},
        ModelCase{.longest = 70, .t5 = true}}) {
    SCOPED_TRACE(::testing::Message()
                 << each.heads << " heads, up to " << each.longest << (each.t5 ? ", as T5" : ""));
    const Batch batch = batch_of(11, 30, each.longest);
    Training host(config_of(each), cpu(), Precision::f32);
    Training device(config_of(each), cuda(), Precision::f32);
    Training rounded(config_of(each), cuda(), Precision::bf16);
    const double loss = host.forward_and_back(batch, 1);
    EXPECT_NEAR(device.forward_and_back(batch, 1) / loss, 1.0, 1e-5);
    EXPECT_LT(norm_error(device.gradients(), host.gradients()), kTwoModelsF32);
    EXPECT_NEAR(rounded.forward_and_back(batch, 1) / loss, 1.0, kModelLossBf16);
    EXPECT_LT(norm_error(rounded.gradients(), host.gradients()), kModelGradientBf16);
  }
}

TEST_F(CudaModel, GivesTheSameBitsAgain) {
  for (const Precision precision : {Precision::f32, Precision::bf16}) {
    Training first(config_of({.longest = 70}), cuda(), precision);
    Training second(config_of({.longest = 70}), cuda(), precision);
    for (std::int64_t update = 1; update <= 5; ++update) {
      const Batch batch = batch_of(static_cast<std::uint64_t>(update), 60, 20 * update);
      EXPECT_EQ(first.step(batch, update), second.step(batch, update));
    }
    EXPECT_EQ(first.weights(), second.weights());
  }
}

TEST_F(CudaModel, LearnsInBf16AsTheCpuDoesInF32) {
  Training host(config_of({.longest = 12}), cpu(), Precision::f32);
  Training device(config_of({.longest = 12}), cuda(), Precision::bf16);
  double host_loss = 0;
  double device_loss = 0;
  for (std::int64_t update = 1; update <= 60; ++update) {
    const Batch batch = batch_of(static_cast<std::uint64_t>(update), 40, 12);
    host_loss = host.step(batch, update);
    device_loss = device.step(batch, update);
    EXPECT_NEAR(device_loss / host_loss, 1.0, 0.02) << "at update " << update;
  }
  EXPECT_LT(host_loss, 0.75 * std::log(kVocabulary));
}

}  // namespace
}  // namespace yona::testing
