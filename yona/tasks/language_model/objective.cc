#include "yona/tasks/language_model/objective.h"

#include <algorithm>

#include "yona/tensor/ops/cross_entropy.h"

namespace yona {

double LmObjective::weight(const Batch& batch) const {
  double weight = 0;
  for (std::size_t i = 0; i < batch.weights.size(); ++i) {
    weight +=
        static_cast<double>(batch.weights[i]) * static_cast<double>(batch.sides[1].rows_of(i));
  }
  return weight;
}

// -log p(x_t | x_1 … x_{t-1}), averaged over the tokens of an update
Tensor LmObjective::losses(const Batch& batch, double update_weight, std::span<Context> contexts) {
  Context& c = contexts.front();
  const auto upload = [&](const auto& values, DType dtype) {
    Tensor tensor(c.region, dtype, Shape{static_cast<std::int64_t>(values.size())});
    tensor.upload(values);
    return tensor;
  };
  const Side& input = batch.sides[0];
  row_scale_.resize(input.ids.size());
  for (std::size_t i = 0; i + 1 < input.offsets.size(); ++i) {
    std::fill(row_scale_.begin() + input.offsets[i], row_scale_.begin() + input.offsets[i + 1],
              static_cast<float>(static_cast<double>(batch.weights[i]) / update_weight));
  }
  const Tokens tokens{upload(input.ids, DType::i32),
                      make_layout(input.offsets, batch.example_ids, c.region)};
  const Tensor targets = upload(batch.sides[1].ids, DType::i32);
  const CrossEntropyOptions options{
      .smoothing = static_cast<float>(label_smoothing_),
      .row_scale = c.tape != nullptr ? upload(row_scale_, DType::f32) : Tensor()};
  const Ragged states = model_.decode(tokens, {}, c);  // [T, d_model]
  return linear_cross_entropy(states.values, model_.projection(), targets, options, c);
}

Batch LmObjective::largest_batch(std::int64_t batch_tokens, const Backend& /*backend*/) const {
  Batch batch;
  for (const std::size_t side : {0, 1}) {
    Side& rows = batch.sides[side];
    rows.ids.assign(static_cast<std::size_t>(batch_tokens), 0);
    rows.offsets.assign(1, 0);
    for (std::int64_t end = context_; end < batch_tokens + context_; end += context_) {
      rows.offsets.push_back(std::min(end, batch_tokens));
    }
  }
  batch.example_ids.assign(static_cast<std::size_t>(batch.sides[0].examples()), 0);
  batch.weights.assign(batch.example_ids.size(), 1.0F);
  return batch;
}

}  // namespace yona
