#include "yona/tasks/image_classification/image_objective.h"

#include <algorithm>

#include "yona/data/images/image_examples.h"
#include "yona/tensor/ops/cross_entropy.h"
#include "yona/tensor/ops/gather_rows.h"
#include "yona/tensor/ops/patch_numbers.h"

namespace yona {

double ImageObjective::weight(const Batch& batch) const { return weight_of_examples(batch); }

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
  both_scales_.resize(2 * images);
  both_labels_.resize(2 * images);
  both_rows_.resize(2 * images);
  for (std::size_t i = 0; i < images; ++i) {
    const auto weight = static_cast<float>(static_cast<double>(batch.weights[i]) / update_weight);
    const Side& changes = batch.sides[kImageChanges];
    const float share = changes.values[i * static_cast<std::size_t>(changes.width)];
    both_scales_[i] = weight * share;
    both_scales_[images + i] = weight * (1.0F - share);
    both_labels_[i] = batch.sides[kImageClass].ids[i];
    both_labels_[images + i] = batch.sides[kMixedClass].ids[i];
    both_rows_[i] = both_rows_[images + i] = static_cast<std::int32_t>(i);
  }
  const Shape twice{2 * batch.examples()};
  Tensor row_scale(c.region, DType::f32, twice);
  row_scale.upload(both_scales_);
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
  const Tensor row_scale = row_scale_.of(batch, update_weight, contexts.size(), c.region);
  return label_losses([&](Context& pass) { return vectors(input, pass); }, model_.classifier(),
                      batch.sides[kImageClass].ids, row_scale,
                      {.smoothing = loss_.label_smoothing, .rdrop = loss_.rdrop}, contexts);
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
