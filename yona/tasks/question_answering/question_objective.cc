#include "yona/tasks/question_answering/question_objective.h"

#include "yona/data/stories/story_examples.h"

namespace yona {

Stories stories_of(const Batch& batch) {
  return {.words = batch.sides[kStoryWords].ids,
          .sentence_lengths = batch.sides[kStorySentences].ids,
          .stories = batch.sides[kStorySentences].offsets,
          .questions = batch.sides[kStoryQuestion].ids,
          .question_offsets = batch.sides[kStoryQuestion].offsets};
}

double QuestionObjective::weight(const Batch& batch) const { return weight_of_examples(batch); }

Tensor QuestionObjective::losses(const Batch& batch, double update_weight,
                                 std::span<Context> contexts) {
  Context& c = contexts.front();
  const Tensor row_scale = row_scale_.of(batch, update_weight, contexts.size(), c.region);
  // [N, d]
  const auto states = [&](Context& pass) {
    return model_.states(model_.input(stories_of(batch), pass.region), pass);
  };
  return label_losses(states, model_.output_layer(), batch.sides[kStoryAnswer].ids, row_scale,
                      {.smoothing = label_smoothing_}, contexts);
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
