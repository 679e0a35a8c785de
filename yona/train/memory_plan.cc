#include "yona/train/memory_plan.h"

#include <algorithm>

#include "yona/backend/backend.h"

namespace yona {

namespace {

constexpr std::int64_t kProgramBytes = std::int64_t{64} << 20U;

// Tokens of a sentence. On a CPU only the totals matter to memory; a GPU keeps most with sentences
// as long as these (backend/attention_decisions.h).
std::int64_t sentence_tokens(const TransformerConfig& config, Device device) {
  return device == Device::cuda ? std::min<std::int64_t>(256, config.max_positions) : 32;
}

void append_tokens(RaggedIds& side, std::int64_t tokens, std::int64_t sentence) {
  side.ids.assign(static_cast<std::size_t>(tokens), 0);
  side.offsets.assign(1, 0);
  for (std::int64_t end = sentence; end < tokens + sentence; end += sentence) {
    side.offsets.push_back(std::min(end, tokens));
  }
}

std::int64_t step_bytes(const TransformerConfig& config, const LossConfig& loss,
                        std::int64_t batch_tokens, Device device) {
  const std::unique_ptr<Backend> meta = make_backend("meta", {.planned = device});
  Transformer model(config);
  const Parameters parameters(model, *meta, Gradients::yes);
  Learner learner(model, *meta, loss);
  PairBatch batch;
  const std::int64_t sentence = sentence_tokens(config, device);
  append_tokens(batch.source, batch_tokens, sentence);
  append_tokens(batch.target, batch_tokens, sentence);
  batch.sentence_ids.assign(static_cast<std::size_t>(batch.sentences()), 0);
  batch.weights.assign(batch.sentence_ids.size(), 1.0F);
  learner.accumulate(batch, {}, 1.0);
  return learner.peak_bytes();
}

std::int64_t weight_bytes(const TransformerConfig& config, bool average) {
  const std::unique_ptr<Backend> meta = make_backend("meta");
  Transformer model(config);
  const Parameters parameters(model, *meta, Gradients::no);
  return parameters.count() * 4 * (average ? 5 : 4);
}

}  // namespace

MemoryPlan plan_memory(const TransformerConfig& model, const LossConfig& loss, bool average,
                       std::int64_t batch_tokens, Device device) {
  return {.weights = weight_bytes(model, average),
          .step = step_bytes(model, loss, batch_tokens, device),
          .program = kProgramBytes};
}

std::int64_t largest_batch(const TransformerConfig& model, const LossConfig& loss, bool average,
                           std::int64_t memory_bytes, Device device) {
  constexpr std::int64_t kLargest = 25000;  // §5.1: 25,000 source and 25,000 target tokens
  constexpr std::int64_t kSmallest = 256;
  const std::int64_t usable = memory_bytes / 4 * 3;
  const auto fits = [&](std::int64_t tokens) {
    return plan_memory(model, loss, average, tokens, device).total() <= usable;
  };
  check<DeviceError>(
      fits(kSmallest),
      "memory: a step of {} tokens needs {:.1f} GB and there are {:.1f}: use a "
      "smaller model",
      kSmallest,
      static_cast<double>(plan_memory(model, loss, average, kSmallest, device).total()) / 1e9,
      static_cast<double>(memory_bytes) / 1e9);
  std::int64_t low = kSmallest;
  std::int64_t high = kLargest + 1;
  while (high - low > kSmallest) {
    const std::int64_t middle = (low + high) / 2;
    (fits(middle) ? low : high) = middle;
  }
  return fits(kLargest) ? kLargest : low;
}

void check_memory(const TransformerConfig& model, const LossConfig& loss, bool average,
                  std::int64_t batch_tokens, std::int64_t memory_bytes, Device device) {
  // What is planned has as many ids as the batch; memory is in proportion to them beyond this.
  constexpr std::int64_t kMostPlanned = std::int64_t{1} << 20U;
  const MemoryPlan plan =
      plan_memory(model, loss, average, std::min(batch_tokens, kMostPlanned), device);
  const double times = std::max(1.0, static_cast<double>(batch_tokens) / kMostPlanned);
  const double needed =
      static_cast<double>(plan.weights + plan.program) + times * static_cast<double>(plan.step);
  if (needed > static_cast<double>(memory_bytes)) {
    fail(
        "train.batch_tokens: a step of {} tokens needs about {:.1f} GB of memory, and there are "
        "{:.1f}; the largest that fits is {} (--batch-tokens auto)",
        batch_tokens, needed / 1e9, static_cast<double>(memory_bytes) / 1e9,
        largest_batch(model, loss, average, memory_bytes, device));
  }
}

}  // namespace yona
