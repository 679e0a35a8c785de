// The loss of a language model: cross-entropy of the next token.
#pragma once

#include <span>
#include <vector>

#include "yona/models/causal_lm.h"
#include "yona/train/objective.h"

namespace yona {

class LmObjective : public Objective {
 public:
  // `context`: tokens of the longest example.
  LmObjective(const CausalLmConfig& config, double label_smoothing, std::int64_t context)
      : model_(config), label_smoothing_(label_smoothing), context_(context) {}

  CausalLm& model() override { return model_; }
  const CausalLm& model() const { return model_; }
  // The number of tokens that are predicted, each times its example's weight.
  double weight(const Batch& batch) const override;
  Tensor losses(const Batch& batch, double update_weight, std::span<Context> contexts) override;
  Batch largest_batch(std::int64_t batch_tokens, const Backend& backend) const override;

 private:
  CausalLm model_;
  double label_smoothing_;
  std::int64_t context_;
  std::vector<float> row_scale_;  // a buffer
};

}  // namespace yona
