// Floating-point operations of what really ran: a CPU backend that adds up, for every call of a
// kernel with products in it, what the call's sizes make. A multiplication and an addition are two.
// Counted are matrix products and attention, forward and backward; passes over single numbers
// (norms, activations, dropout, the optimiser) are not.
#pragma once

#include <memory>

#include "yona/backend/backend.h"
#include "yona/data/batch.h"
#include "yona/train/objective.h"

namespace yona {

class FlopCounter {
 public:
  explicit FlopCounter(int threads = 1);

  Backend& backend() { return *backend_; }
  // Of all calls from this thread since the counter was made. There is one counter at a time.
  double flops() const;

 private:
  std::unique_ptr<Backend> backend_;
};

// Of one training step on this batch, forward and backward. The model may not be bound to
// parameters elsewhere.
double training_flops(Objective& objective, const Batch& batch);

}  // namespace yona
