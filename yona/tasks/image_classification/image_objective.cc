#include "yona/tasks/image_classification/image_objective.h"

#include <algorithm>
#include <numeric>

#include "yona/data/images/image_examples.h"
#include "yona/tensor/ops/cross_entropy.h"
#include "yona/tensor/ops/gather_rows.h"
#include "yona/tensor/ops/patch_numbers.h"

namespace yona {

double ImageObjective::weight(const Batch& batch) const {
  return std::accumulate(batch.weights.begin(), batch.weights.end(), 0.0);
}

VitInput ImageObjective::input_of(const Batch& batch, Context& c) const {
  const Side& side = batch.sides[kPatches];
  if (side.bytes.empty()) {
    return model_.input({.patches = side.values, .image_ids = batch.example_ids}, c.region);
  }
  const PatchGrid& grid = patches_.grid();
  const Tensor patches = patch_numbers({.bytes = side.bytes,
                                        .other = batch.sides[kMixedClass].bytes,
                                        .changes = batch.sides[kImageChanges].values,
                                        .table = patches_.table(),
                                        .patch = grid.patch,
                                        .stride = grid.stride,
                                        .patch_rows = grid.rows(),
                                        .patch_cols = grid.columns()},
                                       c);
  return model_.input(patches, batch.example_ids, c.region);
}

// [S, d_model]
Tensor ImageObjective::vectors(const VitInput& input, Context& c) const {
  return model_.image_vectors(input, model_.states(input, c), c);
}

// share · loss of a picture's own label + (1 - share) · loss of the other one's: two rows for each
// picture, with these weights. What is reported is the loss of its own label, which has the larger
// share.
Tensor ImageObjective::mixed_losses(const Batch& batch, double update_weight, const VitInput& input,
                                    Context& c) {
  const auto images = static_cast<std::size_t>(batch.examples());
  row_scale_.resize(2 * images);
  both_labels_.resize(2 * images);
  both_rows_.resize(2 * images);
  for (std::size_t i = 0; i < images; ++i) {
    const auto weight = static_cast<float>(static_cast<double>(batch.weights[i]) / update_weight);
    const Side& changes = batch.sides[kImageChanges];
    const float share = changes.values[i * static_cast<std::size_t>(changes.width)];
    row_scale_[i] = weight * share;
    row_scale_[images + i] = weight * (1.0F - share);
    both_labels_[i] = batch.sides[kImageClass].ids[i];
    both_labels_[images + i] = batch.sides[kMixedClass].ids[i];
    both_rows_[i] = both_rows_[images + i] = static_cast<std::int32_t>(i);
  }
  const Shape twice{2 * batch.examples()};
  Tensor row_scale(c.region, DType::f32, twice);
  row_scale.upload(row_scale_);
  Tensor targets(c.region, DType::i32, twice);
  targets.upload(both_labels_);
  Tensor rows(c.region, DType::i32, twice);
  rows.upload(both_rows_);
  const OutputLayer classifier = model_.classifier();
  const Tensor both =
      linear_cross_entropy(gather_rows(vectors(input, c), rows, c), classifier.weight, targets,
                           {.smoothing = static_cast<float>(loss_.label_smoothing),
                            .row_scale = row_scale,
                            .bias = classifier.bias},
                           c);  // [2 S, 2]
  return both.slice(0, Shape{batch.examples(), 2});
}

Tensor ImageObjective::losses(const Batch& batch, double update_weight,
                              std::span<Context> contexts) {
  Context& c = contexts.front();
  const VitInput input = input_of(batch, c);
  if (loss_.mixes && c.tape != nullptr) {
    return mixed_losses(batch, update_weight, input, c);
  }
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
  Side& changes = batch.sides[kImageChanges];
  patches.width = model_.config().patch_values();
  patches.bytes.assign(static_cast<std::size_t>(images * n * patches.width), 0);
  changes.width = kPictureChanges;
  for (std::int64_t i = 0; i < images; ++i) {
    changes.values.push_back(1.0F);  // the share; nothing is covered
    changes.values.resize(changes.values.size() + kPictureChanges - 1);
    patches.offsets.push_back((i + 1) * n);
    changes.offsets.push_back(i + 1);
    batch.sides[kImageClass].ids.push_back(0);
    batch.sides[kImageClass].end_example();
    if (loss_.mixes) {
      batch.sides[kMixedClass].ids.push_back(0);
      batch.sides[kMixedClass].end_example();
    }
    batch.example_ids.push_back(0);
    batch.weights.push_back(1.0F);
  }
  if (loss_.mixes) {
    batch.sides[kMixedClass].bytes = patches.bytes;
  }
  return batch;
}

}  // namespace yona
