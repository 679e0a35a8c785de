#include "yona/tasks/translation/train_bench.h"

#include <algorithm>
#include <memory>

#include "yona/base/random.h"
#include "yona/tasks/seq2seq/seq2seq_objective.h"

namespace yona {

namespace {

std::int64_t drawn_length(std::int64_t mean, bool ragged, RandomSequence& random) {
  if (!ragged) {
    return mean;
  }
  return std::max<std::int64_t>(1, mean / 4 + static_cast<std::int64_t>(random.below(
                                                  static_cast<std::uint64_t>(mean * 3 / 2 + 1))));
}

void append_sentence(Side& side, std::int64_t length, std::int64_t vocabulary,
                     RandomSequence& random) {
  for (std::int64_t t = 0; t < length; ++t) {
    side.ids.push_back(
        static_cast<std::int32_t>(2 + random.below(static_cast<std::uint64_t>(vocabulary - 3))));
  }
  side.end_example();
}

Batch random_batch(const TrainBenchOptions& options, std::uint64_t key) {
  RandomSequence random(key);
  Batch batch;
  batch.clear();
  while (batch.sides[kTarget].rows() <
         options.tokens / options.target_length * options.target_length) {
    append_sentence(batch.sides[kSource],
                    drawn_length(options.source_length, options.ragged, random),
                    options.model.source_vocabulary, random);
    append_sentence(batch.sides[kTarget],
                    drawn_length(options.target_length, options.ragged, random),
                    options.model.target_vocabulary, random);
    batch.example_ids.push_back(batch.example_ids.size());
    batch.weights.push_back(1.0F);
  }
  return batch;
}

// Multiply-adds of the products of one forward pass; a step is three forwards' worth.
double multiply_adds(const TransformerConfig& m, const Batch& batch) {
  const auto S = static_cast<double>(batch.sides[kSource].rows());
  const auto T = static_cast<double>(batch.sides[kTarget].rows());
  const HeadShape heads = m.head_shape();
  const auto d = static_cast<double>(m.d_model);
  const auto keys = static_cast<double>(heads.heads * heads.d_k);
  const auto values = static_cast<double>(heads.heads * heads.d_v);
  const double projections = d * (2 * keys + 2 * values);
  const double feed_forward = 2 * d * static_cast<double>(m.d_ff);
  double squares_s = 0;
  double squares_t = 0;
  double crossed = 0;
  for (std::size_t i = 0; i + 1 < batch.sides[kSource].offsets.size(); ++i) {
    const auto s =
        static_cast<double>(batch.sides[kSource].offsets[i + 1] - batch.sides[kSource].offsets[i]);
    const auto t =
        static_cast<double>(batch.sides[kTarget].offsets[i + 1] - batch.sides[kTarget].offsets[i]);
    squares_s += s * s;
    squares_t += t * t / 2;  // causal: half
    crossed += s * t;
  }
  const double encoder = S * (projections + feed_forward) + squares_s * (keys + values);
  const double decoder = T * (projections + d * (keys + values) + feed_forward) +
                         S * d * (keys + values) + (squares_t + crossed) * (keys + values);
  return static_cast<double>(m.encoder_layers) * encoder +
         static_cast<double>(m.decoder_layers) * decoder +
         T * d * static_cast<double>(m.target_vocabulary);
}

TransformerConfig with_dropout(TransformerConfig config) {  // as the peers have it
  config.dropout = config.attention_dropout = 0.1;
  return config;
}

}  // namespace

Json bench_train(const TrainBenchOptions& options) {
  StepBenchWork work{
      .objective = std::make_unique<Seq2SeqObjective>(with_dropout(options.model), Seq2SeqLoss{}),
      .batches = {},
      .tokens = [](const Batch& batch) { return static_cast<double>(batch.sides[kTarget].rows()); },
      .multiply_adds = [&](const Batch& batch) { return multiply_adds(options.model, batch); }};
  for (std::uint64_t key = 0; key < 4; ++key) {
    work.batches.push_back(random_batch(options, key));
  }
  const std::int64_t examples = work.batches.front().examples();
  const StepBenchFigures figures = bench_steps(std::move(work), options.run);
  Json result{{"engine", "yona"},
              {"preset", options.preset},
              {"norm", options.model.norm == NormPosition::pre ? "pre" : "post"},
              {"src_len", options.source_length},
              {"tgt_len", options.target_length},
              {"batch", examples},
              {"ragged", options.ragged},
              {"ms", figures.ms},
              {"tgt_tok_s", figures.tokens_per_second},
              {"tflops", figures.tflops}};
  result.update(figures.rest);
  return result;
}

}  // namespace yona
