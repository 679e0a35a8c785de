// Masked language modelling (Devlin et al. 2019, §3.1): the tokens at masked places are predicted
// from all others. Batches are those of MaskedTexts (data/masked_texts.h).
#pragma once

#include <vector>

#include "yona/models/bert.h"
#include "yona/train/objective.h"

namespace yona {

class MaskedLmObjective : public Objective {
 public:
  // masked: the share of tokens to predict.
  explicit MaskedLmObjective(const BertConfig& config, double masked = 0.15)
      : model_(config), masked_(masked) {}

  Bert& model() override { return model_; }
  double weight(const Batch& batch) const override;
  Tensor losses(const Batch& batch, double update_weight, std::span<Context> contexts) override;
  Batch largest_batch(std::int64_t batch_tokens, const Backend& backend) const override;

 private:
  Bert model_;
  double masked_;
  std::vector<std::int32_t> rows_;
  std::vector<float> row_scale_;
};

}  // namespace yona
