#include "yona/tasks/language_model/train_bench.h"

#include <memory>
#include <utility>

#include "yona/base/random.h"
#include "yona/tasks/language_model/objective.h"

namespace yona {

namespace {

Batch random_texts(const LmTrainBenchOptions& options, std::uint64_t key) {
  RandomSequence random(key);
  Batch batch;
  batch.clear();
  for (std::int64_t i = 0; i < options.batch; ++i) {
    for (const std::size_t side : {0, 1}) {
      Side& rows = batch.sides[side];
      for (std::int64_t t = 0; t < options.length; ++t) {
        rows.ids.push_back(static_cast<std::int32_t>(
            random.below(static_cast<std::uint64_t>(options.model.vocabulary))));
      }
      rows.end_example();
    }
    batch.example_ids.push_back(static_cast<std::uint64_t>(i));
    batch.weights.push_back(1.0F);
  }
  return batch;
}

// Of the products of one forward pass: weights of the layers and of the projection, and half of the
// scores, which the causal mask leaves.
double multiply_adds(const LmTrainBenchOptions& options) {
  const CausalLmConfig& m = options.model;
  const HeadShape heads = m.head_shape();
  const std::int64_t kv_heads = heads.kv_heads > 0 ? heads.kv_heads : heads.heads;
  const auto d = static_cast<double>(m.d_model);
  const auto width = static_cast<double>(heads.heads * heads.d_k);
  const auto kv_width = static_cast<double>(kv_heads * heads.d_k);
  const auto tokens = static_cast<double>(options.batch * options.length);
  const double projections = 2 * d * width + 2 * d * kv_width;
  const double feed_forward = (m.gated ? 3 : 2) * d * static_cast<double>(m.d_ff);
  const double scores = width * static_cast<double>(options.length);
  return tokens * (static_cast<double>(m.layers) * (projections + feed_forward + scores) +
                   d * static_cast<double>(m.vocabulary));
}

}  // namespace

Json bench_lm_train(const LmTrainBenchOptions& options) {
  const auto tokens = static_cast<double>(options.batch * options.length);
  StepBenchWork work{
      .objective = std::make_unique<LmObjective>(options.model, 0.0, options.length),
      .batches = {},
      .tokens = [=](const Batch& /*batch*/) { return tokens; },
      .multiply_adds = [&](const Batch& /*batch*/) { return multiply_adds(options); }};
  for (std::uint64_t key = 0; key < 4; ++key) {
    work.batches.push_back(random_texts(options, key));
  }
  const StepBenchFigures figures = bench_steps(std::move(work), options.run);
  Json result{{"engine", "yona"},
              {"task", "language-model"},
              {"preset", options.preset},
              {"len", options.length},
              {"batch", options.batch},
              {"ms", figures.ms},
              {"tok_s", figures.tokens_per_second},
              {"tflops", figures.tflops}};
  result.update(figures.rest);
  return result;
}

}  // namespace yona
