// Trains a small Transformer, with the library alone, to write digits in reverse: "3 1 4" → "4 1
// 3". Every target token must find its place at the other end of the source: attention has to learn
// it. Shows the parts of a training step; yona/train/ puts files, checkpoints and progress around
// them.

#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "yona/backend/backend.h"
#include "yona/base/random.h"
#include "yona/data/batch.h"
#include "yona/models/transformer.h"
#include "yona/nn/parameters.h"
#include "yona/train/learner.h"
#include "yona/train/optimiser.h"
#include "yona/train/schedule.h"

namespace {

constexpr std::int32_t kEnd = 0;          // </s>
constexpr std::int32_t kFirstDigit = 2;   // 1 is <unk>
constexpr std::int64_t kVocabulary = 13;  // </s>, <unk>, ten digits, and <pad>, the last
constexpr std::uint64_t kMostDigits = 8;  // of a sentence
constexpr std::uint64_t kSentences = 64;  // of a batch

// A batch is the tokens of its sentences in a row: no padding, whatever their lengths.
yona::PairBatch draw_batch(std::uint64_t key) {
  yona::RandomSequence random(key);
  yona::PairBatch batch;
  batch.clear();
  for (std::uint64_t sentence = 0; sentence < kSentences; ++sentence) {
    std::vector<std::int32_t> digits(1 + random.below(kMostDigits));
    for (std::int32_t& digit : digits) {
      digit = kFirstDigit + static_cast<std::int32_t>(random.below(10));
    }
    batch.source.ids.insert(batch.source.ids.end(), digits.begin(), digits.end());
    batch.target.ids.insert(batch.target.ids.end(), digits.rbegin(), digits.rend());
    for (yona::RaggedIds* side : {&batch.source, &batch.target}) {
      side->ids.push_back(kEnd);
      side->end_sentence();
    }
    batch.sentence_ids.push_back(sentence);
    batch.weights.push_back(1.0F);
  }
  return batch;
}

}  // namespace

int main() {
  yona::TransformerConfig config;
  config.source_vocabulary = config.target_vocabulary = kVocabulary;
  config.encoder_layers = config.decoder_layers = 2;
  config.d_model = 64;
  config.d_ff = 128;
  config.heads = 4;
  config.dropout = 0.0;

  const std::unique_ptr<yona::Backend> backend = yona::make_backend("cpu");
  yona::Transformer model(config);
  yona::Parameters parameters(model, *backend, yona::Gradients::yes);
  parameters.initialise(/*seed=*/1);
  yona::Optimiser optimiser(parameters, *backend, {});
  yona::Learner learner(model, *backend, {.label_smoothing = 0.0});
  fmt::print("{} parameters\n", parameters.count());

  constexpr std::int64_t kUpdates = 400;
  const yona::ScheduleConfig schedule{
      .kind = yona::ScheduleKind::linear, .rate = 3e-3, .warmup = 50};
  for (std::int64_t update = 1; update <= kUpdates; ++update) {
    const yona::PairBatch batch = draw_batch(static_cast<std::uint64_t>(update));
    parameters.zero_gradients();
    const yona::PendingLoss loss = learner.accumulate(
        batch, {.update = static_cast<std::uint64_t>(update)}, yona::target_weight(batch));
    optimiser.step(update, yona::learning_rate(schedule, config.d_model, kUpdates, update));
    if (update % 100 == 0) {
      const yona::LossSums sums = loss.read();
      fmt::print("update {}: loss {:.4f}\n", update, sums.loss / static_cast<double>(sums.tokens));
    }
  }

  const yona::LossSums unseen = learner.evaluate(draw_batch(/*key=*/0));
  const double perplexity = std::exp(unseen.nll / static_cast<double>(unseen.tokens));
  fmt::print("perplexity on digits it never saw: {:.3f} (guessing: 11)\n", perplexity);
  return perplexity < 1.2 ? 0 : 1;
}
