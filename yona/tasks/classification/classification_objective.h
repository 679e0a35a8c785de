// A BERT with a classification head and its loss: cross-entropy over the labels, or the squared
// error of a regression. Batches are those of LabelledExamples (data/labelled_texts.h).
#pragma once

#include "yona/io/encoder_folder.h"
#include "yona/models/bert.h"
#include "yona/tasks/label_losses.h"
#include "yona/train/objective.h"

namespace yona {

struct ClassificationLoss {
  Problem problem = Problem::single_label;
  double label_smoothing = 0.0;
  double rdrop = 0.0;  // alpha of R-Drop; 0: off
};

class ClassificationObjective : public Objective {
 public:
  ClassificationObjective(const BertConfig& config, const ClassificationLoss& loss)
      : model_(config), loss_(loss) {}

  Bert& model() override { return model_; }
  double weight(const Batch& batch) const override;
  int passes() const override { return loss_.rdrop > 0 ? 2 : 1; }
  Tensor losses(const Batch& batch, double update_weight, std::span<Context> contexts) override;
  Batch largest_batch(std::int64_t batch_tokens, const Backend& backend) const override;

 private:
  Tensor vectors(const BertInput& input, Context& c) const;
  Tensor regression(const BertInput& input, const Batch& batch, const Tensor& row_scale,
                    Context& c) const;

  Bert model_;
  ClassificationLoss loss_;
  ExampleScale row_scale_;
};

}  // namespace yona
