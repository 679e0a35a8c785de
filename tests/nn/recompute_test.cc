// Training with activations that are computed again: the same bits in less memory, for every kind
// of stack.

#include "yona/nn/recompute.h"

#include <gtest/gtest.h>

#include "yona/tasks/language_model/objective.h"
#include "yona/tasks/seq2seq/seq2seq_objective.h"
#include "yona/train/learner.h"

#include "tests/harness/toy_lm.h"

namespace yona::testing {
namespace {

// Examples of these lengths, on both sides.
Batch batch_of(const std::vector<std::int64_t>& lengths, std::uint64_t vocabulary) {
  Batch batch;
  batch.clear();
  RandomSequence random(7);
  for (const std::int64_t length : lengths) {
    for (Side* side : {&batch.sides[0], &batch.sides[1]}) {
      for (std::int64_t i = 0; i < length; ++i) {
        side->ids.push_back(static_cast<std::int32_t>(random.below(vocabulary)));
      }
      side->end_example();
    }
    batch.example_ids.push_back(batch.example_ids.size());
    batch.weights.push_back(1.0F);
  }
  return batch;
}

struct Step {
  std::vector<float> gradients, weights;  // weights: with a norm's running statistics
  double loss = 0;
  std::int64_t peak = 0;
};

Step step_of(Objective& objective, const Batch& batch, bool recompute,
             Precision precision = Precision::f32) {
  Backend& backend = shared_backend("cpu");
  objective.model().set_recompute(recompute);
  Parameters parameters(objective.model(), backend, Gradients::yes);
  parameters.initialise(3);
  parameters.zero_gradients();
  Learner learner(objective, parameters, backend, precision);
  Step step;
  for (std::uint32_t part = 0; part < 2; ++part) {  // two micro-batches of one update
    step.loss += learner
                     .accumulate(batch, {.seed = 5, .update = 2, .micro_batch = part},
                                 2 * objective.weight(batch))
                     .read()
                     .loss;
  }
  step.gradients = parameters.gradients().to_vector<float>();
  step.weights = parameters.weights().to_vector<float>();
  step.peak = learner.peak_bytes();
  return step;
}

void expect_same_bits(Objective& objective, const Batch& batch) {
  for (const Precision precision : {Precision::f32, Precision::bf16}) {
    const Step kept = step_of(objective, batch, false, precision);
    const Step again = step_of(objective, batch, true, precision);
    EXPECT_EQ(again.loss, kept.loss);
    EXPECT_EQ(again.weights, kept.weights);
    ASSERT_EQ(again.gradients.size(), kept.gradients.size());
    std::size_t different = 0;
    for (std::size_t i = 0; i < kept.gradients.size(); ++i) {
      different += kept.gradients[i] == again.gradients[i] ? 0 : 1;
    }
    EXPECT_EQ(different, 0U) << "of " << kept.gradients.size();
  }
}

TEST(Recompute, GivesTheBitsOfLanguageModels) {
  for (CausalLmConfig config : {toy_gpt2(), toy_llama()}) {
    config.dropout = 0.2;
    LmObjective objective(config, 0.1, 12);
    expect_same_bits(objective, batch_of({5, 9, 3}, 13));
  }
}

TEST(Recompute, GivesTheBitsOfEncoderDecoders) {
  for (const NormPosition position : {NormPosition::post, NormPosition::pre}) {
    for (const NormKind kind : {NormKind::layer, NormKind::batch}) {
      TransformerConfig config = preset("tiny");
      config.source_vocabulary = config.target_vocabulary = 60;
      config.norm = position;
      config.departures.norm_kind = kind;
      config.dropout = 0.2;
      Seq2SeqObjective objective(config, {.label_smoothing = 0.1, .rdrop = 1.0});
      expect_same_bits(objective, batch_of({5, 9, 3}, 59));
    }
  }
}

TEST(Recompute, KeepsTheInputsOfLayersAlone) {
  CausalLmConfig config = toy_gpt2();
  config.layers = 12;
  config.d_model = 32;
  config.d_ff = 128;
  LmObjective objective(config, 0.0, 12);
  const Batch batch = batch_of(std::vector<std::int64_t>(100, 12), 13);
  const std::int64_t input = 1200 * 32 * static_cast<std::int64_t>(sizeof(float));
  const Step kept = step_of(objective, batch, false);
  const Step again = step_of(objective, batch, true);
  EXPECT_GT(kept.peak, 12 * 8 * input);
  EXPECT_LT(again.peak, (12 + 25) * input);
}

}  // namespace
}  // namespace yona::testing
