#include "yona/tasks/question_answering/question_objective.h"

#include <algorithm>
#include <numeric>

#include "yona/data/stories/story_examples.h"
#include "yona/tensor/ops/cross_entropy.h"

namespace yona {

Stories stories_of(const Batch& batch) {
  return {.words = batch.sides[kStoryWords].ids,
          .sentence_lengths = batch.sides[kStorySentences].ids,
          .stories = batch.sides[kStorySentences].offsets,
          .questions = batch.sides[kStoryQuestion].ids,
          .question_offsets = batch.sides[kStoryQuestion].offsets};
}

double QuestionObjective::weight(const Batch& batch) const {
  return std::accumulate(batch.weights.begin(), batch.weights.end(), 0.0);
}

Tensor QuestionObjective::losses(const Batch& batch, double update_weight,
                                 std::span<Context> contexts) {
  Context& c = contexts.front();
  row_scale_.resize(batch.weights.size());
  std::transform(batch.weights.begin(), batch.weights.end(), row_scale_.begin(), [&](float weight) {
    return static_cast<float>(static_cast<double>(weight) / update_weight);
  });
  Tensor row_scale(c.region, DType::f32, Shape{batch.examples()});
  row_scale.upload(row_scale_);
  Tensor targets(c.region, DType::i32, Shape{batch.examples()});
  targets.upload(batch.sides[kStoryAnswer].ids);
  const Tensor states = model_.states(model_.input(stories_of(batch), c.region), c);  // [N, d]
  return linear_cross_entropy(states, model_.output_layer().weight, targets,
                              {.smoothing = static_cast<float>(label_smoothing_),
                               .row_scale = c.tape != nullptr ? row_scale : Tensor()},
                              c);
}

// Every side as long as it can be: stories of one sentence, sentences of one word.
Batch QuestionObjective::largest_batch(std::int64_t batch_tokens,
                                       const Backend& /*backend*/) const {
  Batch batch;
  batch.clear();
  for (std::int64_t i = 0; i < batch_tokens; ++i) {
    for (Side& side : batch.sides) {
      side.ids.push_back(0);
      side.end_example();
    }
    batch.sides[kStorySentences].ids.back() = 1;  // its length
    batch.example_ids.push_back(0);
    batch.weights.push_back(1.0F);
  }
  return batch;
}

}  // namespace yona
