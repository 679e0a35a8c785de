// A Vision Transformer and its loss: cross-entropy over the labels. Batches are those of
// ImageExamples (data/images/image_examples.h).
#pragma once

#include <vector>

#include "yona/data/images/patches.h"
#include "yona/models/vit.h"
#include "yona/tasks/label_losses.h"
#include "yona/train/objective.h"

namespace yona {

struct ImageLoss {
  double label_smoothing = 0.0;
  double rdrop = 0.0;  // alpha of R-Drop; 0: off
  bool mixes = false;  // are pictures mixed? Not together with R-Drop
};

class ImageObjective : public Objective {
 public:
  // `patches` normalises batches of bytes.
  ImageObjective(const VitConfig& config, const ImageLoss& loss, const PatchMaker& patches)
      : model_(config), loss_(loss), patches_(patches) {}

  Vit& model() override { return model_; }
  double weight(const Batch& batch) const override;
  int passes() const override { return loss_.rdrop > 0 ? 2 : 1; }
  Tensor losses(const Batch& batch, double update_weight, std::span<Context> contexts) override;
  Batch largest_batch(std::int64_t batch_tokens, const Backend& backend) const override;

 private:
  VitInput input_of(const Batch& batch, Context& c) const;
  Tensor vectors(const VitInput& input, Context& c) const;
  Tensor mixed_losses(const Batch& batch, double update_weight, const VitInput& input, Context& c);

  Vit model_;
  ImageLoss loss_;
  PatchMaker patches_;
  ExampleScale row_scale_;
  // Of mixed pictures.
  std::vector<float> both_scales_;
  std::vector<std::int32_t> both_labels_, both_rows_;
};

}  // namespace yona
