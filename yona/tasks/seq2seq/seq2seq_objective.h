// The loss of an encoder-decoder (paper §5.4): cross-entropy of the next target token with label
// smoothing, and R-Drop (Wu et al. 2021) where asked for.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "yona/models/seq2seq.h"
#include "yona/train/objective.h"

namespace yona {

struct Seq2SeqLoss {
  double label_smoothing = 0.1;
  double rdrop = 0.0;  // alpha; 0: off
};

class Seq2SeqObjective : public Objective {
 public:
  Seq2SeqObjective(const Seq2SeqConfig& config, const Seq2SeqLoss& loss)
      : model_(make_seq2seq(config)), loss_(loss) {}

  SequenceModel& model() override { return *model_; }
  const SequenceModel& model() const { return *model_; }
  // The total of target tokens, each times its sentence's weight.
  double weight(const Batch& batch) const override;
  int passes() const override { return loss_.rdrop > 0 ? 2 : 1; }
  Tensor losses(const Batch& batch, double update_weight, std::span<Context> contexts) override;
  Batch largest_batch(std::int64_t batch_tokens, const Backend& backend) const override;

 private:
  struct Prepared;
  Prepared prepare(const Batch& batch, double update_weight, Region& region);
  // What the projection makes logits of: [T, d_model].
  Tensor states(const Prepared& prepared, Context& c) const;

  std::unique_ptr<SequenceModel> model_;
  Seq2SeqLoss loss_;
  std::vector<std::int32_t> shifted_;  // buffers
  std::vector<float> row_scale_;
};

}  // namespace yona
