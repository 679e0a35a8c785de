#include "yona/tasks/masked_lm/masked_lm_objective.h"

#include <algorithm>
#include <cmath>

#include "yona/data/masked_texts.h"
#include "yona/tensor/ops/cross_entropy.h"
#include "yona/tensor/ops/gather_rows.h"

namespace yona {

double MaskedLmObjective::weight(const Batch& batch) const {
  return static_cast<double>(batch.sides[kMaskedTokens].rows());
}

Tensor MaskedLmObjective::losses(const Batch& batch, double update_weight,
                                 std::span<Context> contexts) {
  Context& c = contexts.front();
  const Side& text = batch.sides[kMaskedText];
  const Side& places = batch.sides[kMaskedPlaces];
  const Side& tokens = batch.sides[kMaskedTokens];
  const BertInput input = model_.input(
      {.ids = text.ids, .offsets = text.offsets, .types = {}, .text_ids = batch.example_ids},
      c.region);
  rows_.clear();
  for (std::size_t s = 0; s + 1 < places.offsets.size(); ++s) {
    for (auto at = places.offsets[s]; at < places.offsets[s + 1]; ++at) {
      rows_.push_back(static_cast<std::int32_t>(text.offsets[s]) +
                      places.ids[static_cast<std::size_t>(at)]);
    }
  }
  row_scale_.assign(rows_.size(), static_cast<float>(1.0 / update_weight));
  const Shape shape{static_cast<std::int64_t>(rows_.size())};
  Tensor rows(c.region, DType::i32, shape);
  rows.upload(rows_);
  Tensor targets(c.region, DType::i32, shape);
  targets.upload(tokens.ids);
  Tensor row_scale(c.region, DType::f32, shape);
  row_scale.upload(row_scale_);
  const OutputLayer output = model_.masked_lm();
  const CrossEntropyOptions options{.row_scale = c.tape != nullptr ? row_scale : Tensor(),
                                    .bias = output.bias};
  const Tensor states = gather_rows(model_.states(input, c).values, rows, c);  // [n, d_model]
  return linear_cross_entropy(model_.masked_states(states, c), output.weight, targets, options, c);
}

Batch MaskedLmObjective::largest_batch(std::int64_t batch_tokens,
                                       const Backend& /*backend*/) const {
  const std::int64_t length = std::min<std::int64_t>(32, model_.config().max_positions);
  // Half as many again as the share: draws differ, and words are masked as one.
  const double share = 1.5 * masked_ * static_cast<double>(length);
  const std::int64_t masked = std::min(length, static_cast<std::int64_t>(std::ceil(share)) + 1);
  Batch batch;
  Side& text = batch.sides[kMaskedText];
  Side& places = batch.sides[kMaskedPlaces];
  Side& tokens = batch.sides[kMaskedTokens];
  for (Side* side : {&text, &places, &tokens}) {
    side->clear();
  }
  text.ids.assign(static_cast<std::size_t>(batch_tokens), 0);
  for (std::int64_t end = length; end < batch_tokens + length; end += length) {
    text.offsets.push_back(std::min(end, batch_tokens));
    for (std::int64_t i = 0; i < masked; ++i) {
      places.ids.push_back(0);
      tokens.ids.push_back(0);
    }
    places.end_example();
    tokens.end_example();
    batch.example_ids.push_back(0);
    batch.weights.push_back(1.0F);
  }
  return batch;
}

}  // namespace yona
