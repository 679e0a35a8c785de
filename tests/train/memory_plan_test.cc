#include "yona/train/memory_plan.h"

#include <gtest/gtest.h>

#include "yona/backend/backend.h"
#include "yona/base/error.h"
#include "yona/tasks/seq2seq/seq2seq_objective.h"

#include "tests/harness/temp_dir.h"

namespace yona {
namespace {

// A run of a translation model.
PlannedRun run_of(const TransformerConfig& config, Precision precision = Precision::f32,
                  Device device = Device::cpu) {
  return {.make_objective =
              [config] { return std::make_unique<Seq2SeqObjective>(config, Seq2SeqLoss{}); },
          .precision = precision,
          .average = false,
          .device = device};
}

TransformerConfig small() {
  TransformerConfig config = preset("tiny");
  config.source_vocabulary = config.target_vocabulary = 500;
  return config;
}

TEST(MemoryPlan, IsWhatTheRealStepTakes) {
  const auto backend = make_backend("cpu", {.threads = 1});
  const TransformerConfig config = small();
  Seq2SeqObjective objective(config, {});
  Parameters parameters(objective.model(), *backend, Gradients::yes);
  parameters.initialise(1);
  parameters.zero_gradients();
  Learner learner(objective, parameters, *backend);
  Batch batch;
  batch.clear();
  for (std::uint64_t s = 0; s < 8; ++s) {
    for (Side* side : {&batch.sides[kSource], &batch.sides[kTarget]}) {
      side->ids.insert(side->ids.end(), 32, 5);
      side->end_example();
    }
    batch.example_ids.push_back(s);
    batch.weights.push_back(1.0F);
  }
  learner.accumulate(batch, {}, objective.weight(batch));
  EXPECT_EQ(plan_memory(run_of(config), 256).step, learner.peak_bytes());
}

TEST(MemoryPlan, GrowsLinearlyWithTheTokens) {
  const std::int64_t one = plan_memory(run_of(small()), 4096).step;
  const std::int64_t two = plan_memory(run_of(small()), 8192).step;
  EXPECT_GT(two, one * 17 / 10);
  EXPECT_LT(two, one * 21 / 10);
}

// Sentences are taken to be as long as those for which a GPU keeps the most.
TEST(MemoryPlan, CountsTheDecisionsThatAGpuKeeps) {
  constexpr std::int64_t kTokens = 4096;
  TransformerConfig config = small();
  config.attention_dropout = 0.0;
  const std::int64_t without =
      plan_memory(run_of(config, Precision::bf16, Device::cuda), kTokens).step;
  config.attention_dropout = 0.1;
  const std::int64_t with =
      plan_memory(run_of(config, Precision::bf16, Device::cuda), kTokens).step;
  const std::int64_t calls = config.encoder_layers + 2 * config.decoder_layers;
  EXPECT_GE(with - without, calls * kTokens * 256 / 8 * config.heads / 2);
}

TEST(MemoryPlan, CountsWeightsGradientsAndMomentsAndTheAverage) {
  const MemoryPlan without = plan_memory(run_of(small()), 256);
  PlannedRun averaged = run_of(small());
  averaged.average = true;
  const MemoryPlan with = plan_memory(averaged, 256);
  EXPECT_EQ(with.weights * 4, without.weights * 5);
}

TEST(LargestBatch, FitsAndIsNotFarFromTheLimit) {
  const std::int64_t memory = std::int64_t{200} << 20U;
  const std::int64_t tokens = largest_batch(run_of(small()), memory);
  EXPECT_LE(plan_memory(run_of(small()), tokens).total(), memory / 4 * 3);
  EXPECT_GT(plan_memory(run_of(small()), tokens + 512).total(), memory / 4 * 3);
  EXPECT_EQ(largest_batch(run_of(small()), std::int64_t{1} << 40U), 25000);
}

TEST(CheckMemory, RefusesWhatDoesNotFitAndSaysWhatDoes) {
  const std::int64_t memory = std::int64_t{200} << 20U;
  const std::int64_t fitting = largest_batch(run_of(small()), memory);
  check_memory(run_of(small()), fitting, memory);
  const std::int64_t large = 8 * fitting;
  EXPECT_EQ(
      testing::message_of<InvalidArgument>([&] { check_memory(run_of(small()), large, memory); }),
      fmt::format("train.batch_tokens: a step of {} tokens needs about {:.1f} GB of memory, "
                  "and there are 0.2; the largest that fits is {} (--batch-tokens auto)",
                  large, static_cast<double>(plan_memory(run_of(small()), large).total()) / 1e9,
                  fitting));
  EXPECT_THROW(check_memory(run_of(small()), 1 << 30, memory), InvalidArgument);
}

TEST(LargestBatch, SaysSoWhenNothingFits) {
  EXPECT_THROW(largest_batch(run_of(small()), 1 << 20), DeviceError);
}

}  // namespace
}  // namespace yona
