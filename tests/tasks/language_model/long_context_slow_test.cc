// A language model trains on one text of 65,536 tokens on a CPU: attention is exact and its memory
// grows with the tokens alone, and with train.recompute so do the activations of one layer.

#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "yona/base/random.h"
#include "yona/tasks/language_model/objective.h"
#include "yona/train/learner.h"
#include "yona/train/memory_plan.h"

#include "tests/harness/op_case.h"

namespace yona::testing {
namespace {

constexpr std::int64_t kContext = 65536;

CausalLmConfig long_config(std::int64_t layers) {
  CausalLmConfig config;
  config.vocabulary = 64;
  config.layers = layers;
  config.d_model = 16;
  config.d_ff = 32;
  config.heads = 1;
  config.dropout = config.attention_dropout = 0.0;
  config.max_positions = kContext;
  config.positions = LmPositions::rotary;
  config.norm = NormKind::rms;
  return config;
}

Batch long_text(std::int64_t tokens) {
  Batch batch;
  batch.clear();
  RandomSequence random(3);
  for (std::int64_t i = 0; i < tokens; ++i) {
    batch.sides[0].ids.push_back(static_cast<std::int32_t>(random.below(64)));
    batch.sides[1].ids.push_back(batch.sides[0].ids.back());  // to be learned: the token itself
  }
  batch.sides[0].end_example();
  batch.sides[1].end_example();
  batch.example_ids.push_back(0);
  batch.weights.push_back(1.0F);
  return batch;
}

// All of a step's memory, in tensors of [tokens, d_model], with eight layers.
double tensors_of_step(std::int64_t tokens, bool recompute) {
  const CausalLmConfig config = long_config(8);
  const PlannedRun run{
      .make_objective = [config,
                         tokens] { return std::make_unique<LmObjective>(config, 0.0, tokens); },
      .precision = Precision::f32,
      .average = false,
      .recompute = recompute,
      .device = Device::cpu};
  const double tensor = static_cast<double>(tokens * config.d_model) * sizeof(float);
  return static_cast<double>(plan_memory(run, tokens).step) / tensor;
}

TEST(LongContext, MemoryGrowsWithTheTokensAlone) {
  EXPECT_NEAR(tensors_of_step(kContext, true), tensors_of_step(kContext / 8, true), 1.0);
  EXPECT_LT(tensors_of_step(kContext, true), 30.0);
  EXPECT_GT(tensors_of_step(kContext, false), 80.0);
}

TEST(LongContext, AStepFitsTheMemoryThatIsStated) {
  LmObjective objective(long_config(2), 0.0, kContext);
  objective.model().set_recompute(true);
  Backend& backend = shared_backend("cpu");
  Parameters parameters(objective.model(), backend, Gradients::yes);
  parameters.initialise(1);
  parameters.zero_gradients();
  Learner learner(objective, parameters, backend);
  const Batch batch = long_text(kContext);
  const double loss = learner.accumulate(batch, {}, objective.weight(batch)).read().loss;
  constexpr std::int64_t kTensor = kContext * 16 * static_cast<std::int64_t>(sizeof(float));
  EXPECT_LT(learner.peak_bytes(), 26 * kTensor);  // 109 MB; the scores alone would be 17 GB
  EXPECT_LT(loss, std::log(64.0) * kContext);     // tied weights know the token that they read
  const std::vector<float> gradients = parameters.gradients().to_vector<float>();
  const double norm =
      std::inner_product(gradients.begin(), gradients.end(), gradients.begin(), 0.0);
  EXPECT_TRUE(std::isfinite(norm) && norm > 0) << norm;
}

}  // namespace
}  // namespace yona::testing
