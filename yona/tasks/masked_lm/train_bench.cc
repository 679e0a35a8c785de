#include "yona/tasks/masked_lm/train_bench.h"

#include <memory>
#include <utility>

#include "yona/base/random.h"
#include "yona/data/masked_texts.h"
#include "yona/tasks/masked_lm/masked_lm_objective.h"

namespace yona {

namespace {

constexpr double kMasked = 0.15;

void append_masked_text(std::int64_t length, const BertConfig& model, RandomSequence& random,
                        Batch& batch) {
  const auto token = [&] {
    return static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(model.vocabulary)));
  };
  const auto masked = static_cast<std::int64_t>(kMasked * static_cast<double>(length));
  for (std::int64_t t = 0; t < length; ++t) {
    batch.sides[kMaskedText].ids.push_back(token());
  }
  for (std::int64_t i = 0; i < masked; ++i) {
    batch.sides[kMaskedPlaces].ids.push_back(static_cast<std::int32_t>(i * length / masked));
    batch.sides[kMaskedTokens].ids.push_back(token());
  }
  for (const std::size_t side : {kMaskedText, kMaskedPlaces, kMaskedTokens}) {
    batch.sides[side].end_example();
  }
  batch.example_ids.push_back(batch.example_ids.size());
  batch.weights.push_back(1.0F);
}

Batch masked_batch(const MaskedLmBenchOptions& options, std::uint64_t key) {
  RandomSequence random(key);
  Batch batch;
  batch.clear();
  for (std::int64_t i = 0; i < options.batch; ++i) {
    const auto draw =
        static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(options.length) + 1));
    const std::int64_t length = options.ragged ? options.length / 2 + draw : options.length;
    append_masked_text(length, options.model, random, batch);
  }
  return batch;
}

// Of the products of one forward pass: layers, scores, and the head at the masked places.
double masked_lm_multiply_adds(const BertConfig& m, const Batch& batch) {
  const Side& text = batch.sides[kMaskedText];
  const auto d = static_cast<double>(m.d_model);
  double scores = 0;
  for (std::size_t i = 0; i < batch.example_ids.size(); ++i) {
    const auto length = static_cast<double>(text.rows_of(i));
    scores += 2 * d * length * length;
  }
  const double weights = 4 * d * d + 2 * d * static_cast<double>(m.d_ff);
  const double head = d * d + d * static_cast<double>(m.vocabulary);
  return static_cast<double>(m.layers) * (static_cast<double>(text.rows()) * weights + scores) +
         static_cast<double>(batch.sides[kMaskedTokens].rows()) * head;
}

}  // namespace

Json bench_masked_lm_train(const MaskedLmBenchOptions& options) {
  StepBenchWork work{
      .objective = std::make_unique<MaskedLmObjective>(options.model, kMasked),
      .batches = {},
      .tokens =
          [](const Batch& batch) { return static_cast<double>(batch.sides[kMaskedText].rows()); },
      .multiply_adds =
          [&](const Batch& batch) { return masked_lm_multiply_adds(options.model, batch); }};
  for (std::uint64_t key = 0; key < 4; ++key) {
    work.batches.push_back(masked_batch(options, key));
  }
  const StepBenchFigures figures = bench_steps(std::move(work), options.run);
  Json result{{"engine", "yona"},         {"task", "masked-lm"},
              {"preset", options.preset}, {"len", options.length},
              {"batch", options.batch},   {"ragged", options.ragged},
              {"ms", figures.ms},         {"tok_s", figures.tokens_per_second},
              {"tflops", figures.tflops}};
  result.update(figures.rest);
  return result;
}

}  // namespace yona
