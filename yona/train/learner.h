// The learner: model, loss and memory of a training step. It turns a batch of token ids into
// gradients; the trainer decides what happens around it, the optimiser what is done with them.
//
// From the second step of a shape on, a step allocates nothing on the host or the device (what
// oneDNN does inside its calls aside).
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "yona/data/batch.h"
#include "yona/models/transformer.h"
#include "yona/nn/parameters.h"
#include "yona/tensor/context.h"
#include "yona/train/readbacks.h"

namespace yona {

struct LossConfig {
  double label_smoothing = 0.1;
  double rdrop = 0.0;
  Precision precision = Precision::f32;
};

// Sums over target tokens; divide by `tokens` for the mean.
struct LossSums {
  double loss = 0;  // label-smoothed, with R-Drop's part
  double nll = 0;   // -log p of the reference tokens, in nats
  std::int64_t tokens = 0;

  LossSums& operator+=(const LossSums& other);
};

// The loss of a micro-batch that the device may still be computing. Reading it waits for that, so
// read it when the device has been asked for more; the learner must live until then.
class PendingLoss {
 public:
  PendingLoss(std::shared_ptr<Readback> losses, std::int64_t tokens, std::int64_t passes)
      : losses_(std::move(losses)), tokens_(tokens), passes_(passes) {}
  LossSums read() const;

 private:
  std::shared_ptr<Readback> losses_;  // [passes · tokens, 2]
  std::int64_t tokens_, passes_;
};

class Learner {
 public:
  Learner(const Transformer& model, Backend& backend, const LossConfig& config);

  // Adds the gradients of one micro-batch to the parameters'. `update_weight` is the total weight
  // of the target tokens of the whole update: each token counts sentence_weight / update_weight.
  PendingLoss accumulate(const PairBatch& batch, const RandomCounters& random,
                         double update_weight);
  // The loss without dropout, gradients or smoothing's gradient.
  LossSums evaluate(const PairBatch& batch);

  // Highest number of bytes that a step has taken.
  std::int64_t peak_bytes() const { return region_.peak(); }

 private:
  struct Prepared;
  Prepared prepare(const PairBatch& batch, double update_weight);
  // What the projection makes logits of: [T, d_model].
  Tensor states(const Prepared& prepared, Context& c) const;
  void backward();
  PendingLoss pending(const Tensor& losses, const PairBatch& batch, std::int64_t passes);

  const Transformer& model_;
  LossConfig config_;
  Region region_;
  Tape tape_;
  WeightGradients weight_gradients_;
  Readbacks readbacks_;
  struct HostBuffers {  // kept from step to step: a step allocates nothing
    std::vector<std::int32_t> shifted;
    std::vector<float> row_scale;
  } host_;
};

// The total of target tokens, each times its sentence's weight.
double target_weight(const PairBatch& batch);

}  // namespace yona
