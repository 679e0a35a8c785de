#include "yona/train/memory_plan.h"

#include <gtest/gtest.h>

#include "yona/backend/backend.h"
#include "yona/base/error.h"

#include "tests/harness/temp_dir.h"

namespace yona {
namespace {

TransformerConfig small() {
  TransformerConfig config = preset("tiny");
  config.source_vocabulary = config.target_vocabulary = 500;
  return config;
}

TEST(MemoryPlan, IsWhatTheRealStepTakes) {
  const auto backend = make_backend("cpu", {.threads = 1});
  const TransformerConfig config = small();
  Transformer model(config);
  Parameters parameters(model, *backend, Gradients::yes);
  parameters.initialise(1);
  parameters.zero_gradients();
  Learner learner(model, *backend, {});
  PairBatch batch;
  batch.clear();
  for (std::uint64_t s = 0; s < 8; ++s) {
    for (RaggedIds* side : {&batch.source, &batch.target}) {
      side->ids.insert(side->ids.end(), 32, 5);
      side->end_sentence();
    }
    batch.sentence_ids.push_back(s);
    batch.weights.push_back(1.0F);
  }
  learner.accumulate(batch, {}, target_weight(batch));
  EXPECT_EQ(plan_memory(config, {}, false, 256).step, learner.peak_bytes());
}

TEST(MemoryPlan, GrowsLinearlyWithTheTokens) {
  const std::int64_t one = plan_memory(small(), {}, false, 4096).step;
  const std::int64_t two = plan_memory(small(), {}, false, 8192).step;
  EXPECT_GT(two, one * 17 / 10);
  EXPECT_LT(two, one * 21 / 10);
}

// Sentences are taken to be as long as those for which a GPU keeps the most.
TEST(MemoryPlan, CountsTheDecisionsThatAGpuKeeps) {
  constexpr std::int64_t kTokens = 4096;
  TransformerConfig config = small();
  const LossConfig loss{.precision = Precision::bf16};
  config.attention_dropout = 0.0;
  const std::int64_t without = plan_memory(config, loss, false, kTokens, Device::cuda).step;
  config.attention_dropout = 0.1;
  const std::int64_t with = plan_memory(config, loss, false, kTokens, Device::cuda).step;
  const std::int64_t calls = config.encoder_layers + 2 * config.decoder_layers;
  EXPECT_GE(with - without, calls * kTokens * 256 / 8 * config.heads / 2);
}

TEST(MemoryPlan, CountsWeightsGradientsAndMomentsAndTheAverage) {
  const MemoryPlan without = plan_memory(small(), {}, false, 256);
  const MemoryPlan with = plan_memory(small(), {}, true, 256);
  EXPECT_EQ(with.weights * 4, without.weights * 5);
}

TEST(LargestBatch, FitsAndIsNotFarFromTheLimit) {
  const std::int64_t memory = std::int64_t{200} << 20U;
  const std::int64_t tokens = largest_batch(small(), {}, false, memory);
  EXPECT_LE(plan_memory(small(), {}, false, tokens).total(), memory / 4 * 3);
  EXPECT_GT(plan_memory(small(), {}, false, tokens + 512).total(), memory / 4 * 3);
  EXPECT_EQ(largest_batch(small(), {}, false, std::int64_t{1} << 40U), 25000);
}

TEST(CheckMemory, RefusesWhatDoesNotFitAndSaysWhatDoes) {
  const std::int64_t memory = std::int64_t{200} << 20U;
  const std::int64_t fitting = largest_batch(small(), {}, false, memory);
  check_memory(small(), {}, false, fitting, memory, Device::cpu);
  const std::int64_t large = 8 * fitting;
  EXPECT_EQ(
      testing::message_of<InvalidArgument>(
          [&] { check_memory(small(), {}, false, large, memory, Device::cpu); }),
      fmt::format("train.batch_tokens: a step of {} tokens needs about {:.1f} GB of memory, "
                  "and there are 0.2; the largest that fits is {} (--batch-tokens auto)",
                  large, static_cast<double>(plan_memory(small(), {}, false, large).total()) / 1e9,
                  fitting));
  EXPECT_THROW(check_memory(small(), {}, false, 1 << 30, memory, Device::cpu), InvalidArgument);
}

TEST(LargestBatch, SaysSoWhenNothingFits) {
  EXPECT_THROW(largest_batch(small(), {}, false, 1 << 20), DeviceError);
}

}  // namespace
}  // namespace yona
