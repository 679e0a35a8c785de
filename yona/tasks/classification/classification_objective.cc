#include "yona/tasks/classification/classification_objective.h"

#include <algorithm>

#include "yona/data/labelled_texts.h"
#include "yona/tensor/ops/squared_error.h"

namespace yona {

double ClassificationObjective::weight(const Batch& batch) const {
  return weight_of_examples(batch);
}

// [S, d_model]
Tensor ClassificationObjective::vectors(const BertInput& input, Context& c) const {
  return model_.text_vectors(input, model_.states(input, c), c);
}

// [S, 2]: the squared error twice; its second column is what validations show.
Tensor ClassificationObjective::regression(const BertInput& input, const Batch& batch,
                                           const Tensor& row_scale, Context& c) const {
  const Shape shape{batch.examples(), 1};
  Tensor targets(c.region, DType::f32, shape);
  targets.upload(batch.sides[kLabel].values);
  const Tensor predictions = logits_of(vectors(input, c), model_.classifier(), c);  // [S, 1]
  const Tensor loss = squared_error(predictions, targets, row_scale.reshape(shape), c);
  Tensor both(c.region, DType::f32, Shape{batch.examples(), 2});
  for (const std::int64_t column : {0, 1}) {
    View out = both.view();
    out.data = static_cast<float*>(out.data) + column;
    out.cols = 1;
    c.kernels().add({.a = loss.view(), .b = {}, .y = out, .alpha = 1.0F}, c.exec());
  }
  return both;
}

Tensor ClassificationObjective::losses(const Batch& batch, double update_weight,
                                       std::span<Context> contexts) {
  Context& c = contexts.front();
  const Side& text = batch.sides[kText];
  const BertInput input = model_.input({.ids = text.ids,
                                        .offsets = text.offsets,
                                        .types = batch.sides[kTypes].ids,
                                        .text_ids = batch.example_ids},
                                       c.region);
  const Tensor row_scale = row_scale_.of(batch, update_weight, contexts.size(), c.region);
  if (loss_.problem == Problem::regression) {
    return regression(input, batch, row_scale, c);
  }
  return label_losses([&](Context& pass) { return vectors(input, pass); }, model_.classifier(),
                      batch.sides[kLabel].ids, row_scale,
                      {.smoothing = loss_.label_smoothing, .rdrop = loss_.rdrop}, contexts);
}

// Many short texts: each has a row of its own in the head.
Batch ClassificationObjective::largest_batch(std::int64_t batch_tokens,
                                             const Backend& /*backend*/) const {
  constexpr std::int64_t kLength = 4;
  Batch batch;
  Side& text = batch.sides[kText];
  Side& label = batch.sides[kLabel];
  text.clear();
  label.clear();
  text.ids.assign(static_cast<std::size_t>(batch_tokens), 0);
  label.width = loss_.problem == Problem::regression ? 1 : 0;
  for (std::int64_t end = kLength; end < batch_tokens + kLength; end += kLength) {
    text.offsets.push_back(std::min(end, batch_tokens));
    if (label.width > 0) {
      label.values.push_back(0.0F);
    } else {
      label.ids.push_back(0);
    }
    label.end_example();
    batch.example_ids.push_back(0);
    batch.weights.push_back(1.0F);
  }
  return batch;
}

}  // namespace yona
