// A memory network and its loss: cross-entropy of the answer over all words. Batches are those of
// StoryExamples (data/stories/story_examples.h).
#pragma once

#include "yona/models/memory_network.h"
#include "yona/tasks/label_losses.h"
#include "yona/train/objective.h"

namespace yona {

// Of a batch, whose storage it refers to.
Stories stories_of(const Batch& batch);

class QuestionObjective : public Objective {
 public:
  QuestionObjective(const MemoryNetworkConfig& config, double label_smoothing)
      : model_(config), label_smoothing_(label_smoothing) {}

  MemoryNetwork& model() override { return model_; }
  double weight(const Batch& batch) const override;
  Tensor losses(const Batch& batch, double update_weight, std::span<Context> contexts) override;
  Batch largest_batch(std::int64_t batch_tokens, const Backend& backend) const override;

 private:
  MemoryNetwork model_;
  double label_smoothing_;
  ExampleScale row_scale_;
};

}  // namespace yona
