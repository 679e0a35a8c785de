#include "yona/train/bench.h"

#include <algorithm>
#include <vector>

#include "yona/backend/backend.h"
#include "yona/base/random.h"
#include "yona/train/bench_timing.h"
#include "yona/train/learner.h"
#include "yona/train/optimiser.h"

namespace yona {

namespace {

std::int64_t drawn_length(std::int64_t mean, bool ragged, RandomSequence& random) {
  if (!ragged) {
    return mean;
  }
  return std::max<std::int64_t>(1, mean / 4 + static_cast<std::int64_t>(random.below(
                                                  static_cast<std::uint64_t>(mean * 3 / 2 + 1))));
}

void append_sentence(RaggedIds& side, std::int64_t length, std::int64_t vocabulary,
                     RandomSequence& random) {
  for (std::int64_t t = 0; t < length; ++t) {
    side.ids.push_back(
        static_cast<std::int32_t>(2 + random.below(static_cast<std::uint64_t>(vocabulary - 3))));
  }
  side.end_sentence();
}

PairBatch random_batch(const TrainBenchOptions& options, std::uint64_t key) {
  RandomSequence random(key);
  PairBatch batch;
  batch.clear();
  while (batch.target.tokens() < options.tokens / options.target_length * options.target_length) {
    append_sentence(batch.source, drawn_length(options.source_length, options.ragged, random),
                    options.model.source_vocabulary, random);
    append_sentence(batch.target, drawn_length(options.target_length, options.ragged, random),
                    options.model.target_vocabulary, random);
    batch.sentence_ids.push_back(batch.sentence_ids.size());
    batch.weights.push_back(1.0F);
  }
  return batch;
}

// Multiply-adds of the products of one forward pass; a step is three forwards' worth.
double multiply_adds(const TransformerConfig& m, const PairBatch& batch) {
  const auto S = static_cast<double>(batch.source.tokens());
  const auto T = static_cast<double>(batch.target.tokens());
  const HeadShape heads = m.head_shape();
  const auto d = static_cast<double>(m.d_model);
  const auto keys = static_cast<double>(heads.heads * heads.d_k);
  const auto values = static_cast<double>(heads.heads * heads.d_v);
  const double projections = d * (2 * keys + 2 * values);
  const double feed_forward = 2 * d * static_cast<double>(m.d_ff);
  double squares_s = 0;
  double squares_t = 0;
  double crossed = 0;
  for (std::size_t i = 0; i + 1 < batch.source.offsets.size(); ++i) {
    const auto s = static_cast<double>(batch.source.offsets[i + 1] - batch.source.offsets[i]);
    const auto t = static_cast<double>(batch.target.offsets[i + 1] - batch.target.offsets[i]);
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

}  // namespace

Json bench_train(const TrainBenchOptions& options) {
  const std::unique_ptr<Backend> backend =
      make_backend(options.device, {.threads = options.threads});
  TransformerConfig config = options.model;  // dropout as the peers have it, attention included
  config.dropout = config.attention_dropout = 0.1;
  Transformer model(config);
  Parameters parameters(model, *backend, Gradients::yes);
  parameters.initialise(1);
  Optimiser optimiser(parameters, *backend, {});
  Learner learner(model, *backend, {.precision = options.precision});
  std::vector<PairBatch> batches;
  for (std::uint64_t key = 0; key < 4; ++key) {
    batches.push_back(random_batch(options, key));
  }
  Profile profile;
  std::vector<double> seconds;  // of each step; and tokens and operations a second of it
  std::vector<double> rates;
  std::vector<double> flops;
  LossSums sums;
  for (std::int64_t step = 0; step < options.warmup + options.steps; ++step) {
    const PairBatch& batch = batches[static_cast<std::size_t>(step) % batches.size()];
    backend->exec().profile = options.profile && step >= options.warmup ? &profile : nullptr;
    const double took = seconds_of([&] {
      parameters.zero_gradients();
      sums = learner.accumulate(batch, {.update = static_cast<std::uint64_t>(step)},
                                target_weight(batch));
      optimiser.step(step + 1, 1e-4);
      backend->synchronize();
    });
    if (step >= options.warmup) {
      seconds.push_back(took);
      rates.push_back(static_cast<double>(batch.target.tokens()) / took);
      flops.push_back(6.0 * multiply_adds(options.model, batch) / took);
    }
  }
  constexpr double kGigabyte = 1024.0 * 1024.0 * 1024.0;
  Json result{{"engine", "yona"},
              {"preset", options.preset},
              {"src_len", options.source_length},
              {"tgt_len", options.target_length},
              {"batch", batches.front().sentences()},
              {"ragged", options.ragged},
              {"dtype", options.precision == Precision::bf16 ? "bfloat16" : "float32"},
              {"threads", backend->exec().pool != nullptr ? backend->exec().pool->threads() : 0},
              {"ms", median(seconds) * 1e3},
              {"tgt_tok_s", median(rates)},
              {"tflops", median(flops) / 1e12},
              {"mem_gb", static_cast<double>(peak_memory()) / kGigabyte},
              {"step_gb", static_cast<double>(learner.peak_bytes()) / kGigabyte},
              {"loss", sums.loss / static_cast<double>(sums.tokens)}};
  if (options.profile) {
    Json parts;
    for (const auto& [name, total] : profile.seconds) {
      parts[std::string(name)] = total * 1e3 / static_cast<double>(options.steps);
    }
    result["ms_by_kernel"] = parts;
  }
  return result;
}

}  // namespace yona
