// Activations that are computed again instead of being kept (Chen et al. 2016, "Training Deep Nets
// with Sublinear Memory Cost"): of a layer its input alone is kept; the backward pass runs the
// layer's forward pass once more, with the same dropout, and goes back through it.
#pragma once

#include "yona/nn/norm.h"
#include "yona/tensor/context.h"

namespace yona {

// Forgets what a tape has left when something throws.
class ClearedTape {
 public:
  explicit ClearedTape(Tape& tape) : tape_(tape) {}
  ~ClearedTape() { tape_.clear(); }
  ClearedTape(const ClearedTape&) = delete;
  ClearedTape& operator=(const ClearedTape&) = delete;

 private:
  Tape& tape_;
};

// forward(x, c) → Residual, a copyable function whose results depend on x, the weights and the
// context's counters alone. x is [T, d_model] and takes part in the gradient. `tape` is empty but
// while this layer's backward runs, and must outlive that.
template <class Forward>
Ragged recomputed(const Ragged& x, const Forward& forward, Context& c, Tape& tape) {
  Context quiet = c;
  quiet.tape = nullptr;
  Ragged y = forward(x, quiet).sum(quiet);
  y.values.set_requires_gradient();
  c.tape->record([x, y, forward, saved = c, &tape] {
    const Tensor dy = y.values.gradient();
    if (!dy) {
      return;
    }
    y.values.discard_values();  // the next layer, which has them as its input, is done
    Context again = saved;
    again.tape = &tape;
    again.repeats = true;
    const ClearedTape cleared(tape);
    const Ragged same = forward(x, again).sum(again);
    same.values.storage()->gradient = dy.storage();
    tape.backward();
  });
  return y;
}

}  // namespace yona
