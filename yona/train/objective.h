// What a run minimises: a model and its loss. One of a kind for each task.
#pragma once

#include <cstdint>
#include <span>

#include "yona/data/batch.h"
#include "yona/nn/module.h"
#include "yona/tensor/context.h"

namespace yona {

class Objective {
 public:
  Objective() = default;
  virtual ~Objective() = default;
  Objective(const Objective&) = delete;
  Objective& operator=(const Objective&) = delete;

  virtual Module& model() = 0;

  // How much a batch counts. Losses are divided by the sum over all micro-batches of an update.
  virtual double weight(const Batch& batch) const = 0;

  // Forward passes of a training step. 2: the same batch again with other dropout (R-Drop).
  virtual int passes() const { return 1; }

  // The losses of a batch's rows, one context for each pass, which what is recorded on the tape
  // refers to: f32 [passes · rows, 2], a row's loss and its negative log-likelihood in nats. The
  // gradient of a row counts weight / update_weight. Without a tape one pass, and the plain loss.
  //
  // Called again and again: host buffers are kept, so that a step allocates nothing.
  virtual Tensor losses(const Batch& batch, double update_weight, std::span<Context> contexts) = 0;

  // Of all batches with up to that many rows on each side, the one that takes the most memory.
  virtual Batch largest_batch(std::int64_t batch_tokens, const Backend& backend) const = 0;
};

}  // namespace yona
