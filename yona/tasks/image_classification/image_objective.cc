#include "yona/tasks/image_classification/image_objective.h"

#include <algorithm>
#include <numeric>

#include "yona/data/images/image_examples.h"
#include "yona/tensor/ops/cross_entropy.h"

namespace yona {

double ImageObjective::weight(const Batch& batch) const {
  return std::accumulate(batch.weights.begin(), batch.weights.end(), 0.0);
}

// [S, d_model]
Tensor ImageObjective::vectors(const VitInput& input, Context& c) const {
  return model_.image_vectors(input, model_.states(input, c), c);
}

Tensor ImageObjective::losses(const Batch& batch, double update_weight,
                              std::span<Context> contexts) {
  Context& c = contexts.front();
  const VitInput input = model_.input(
      {.patches = batch.sides[kPatches].values, .image_ids = batch.example_ids}, c.region);
  row_scale_.resize(batch.weights.size());
  std::transform(batch.weights.begin(), batch.weights.end(), row_scale_.begin(), [&](float weight) {
    return static_cast<float>(static_cast<double>(weight) /
                              (static_cast<double>(contexts.size()) * update_weight));
  });
  Tensor row_scale(c.region, DType::f32, Shape{batch.examples()});
  row_scale.upload(row_scale_);
  Tensor targets(c.region, DType::i32, Shape{batch.examples()});
  targets.upload(batch.sides[kImageClass].ids);
  const OutputLayer classifier = model_.classifier();
  const CrossEntropyOptions options{.smoothing = static_cast<float>(loss_.label_smoothing),
                                    .row_scale = c.tape != nullptr ? row_scale : Tensor(),
                                    .bias = classifier.bias};
  if (contexts.size() == 1) {
    return linear_cross_entropy(vectors(input, c), classifier.weight, targets, options, c);
  }
  const Tensor first = vectors(input, c);
  const Tensor second = vectors(input, contexts[1]);
  return linear_rdrop(first, second, classifier.weight, targets, static_cast<float>(loss_.rdrop),
                      options, c);
}

// Pictures are all of one size: as many as fit.
Batch ImageObjective::largest_batch(std::int64_t batch_tokens, const Backend& /*backend*/) const {
  const std::int64_t n = model_.config().patches();
  const std::int64_t images = std::max<std::int64_t>(1, batch_tokens / n);
  Batch batch;
  batch.clear();
  Side& patches = batch.sides[kPatches];
  patches.width = model_.config().patch_values();
  patches.values.assign(static_cast<std::size_t>(images * n * patches.width), 0.0F);
  for (std::int64_t i = 0; i < images; ++i) {
    patches.offsets.push_back((i + 1) * n);
    batch.sides[kImageClass].ids.push_back(0);
    batch.sides[kImageClass].end_example();
    batch.example_ids.push_back(0);
    batch.weights.push_back(1.0F);
  }
  return batch;
}

}  // namespace yona
