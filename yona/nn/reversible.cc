#include "yona/nn/reversible.h"

#include <memory>
#include <utility>

#include "yona/base/error.h"
#include "yona/base/preemption.h"
#include "yona/nn/recompute.h"
#include "yona/tensor/ops/add.h"

namespace yona {

namespace {

Context without_tape(const Context& c) {
  Context quiet = c;
  quiet.tape = nullptr;
  return quiet;
}

// The streams in front of a block: it reads `newer` and adds to `older`.
struct Streams {
  Ragged older, newer;
};

void add_gradient(const Tensor& x, const Tensor& dy, const Context& c) {
  if (const GradientTarget dx = gradient_target(x, c.region); dx.tensor) {
    c.kernels().add({.a = dy.view(), .b = dx.accumulate ? dx.view() : View{}, .y = dx.view()},
                    c.exec());
  }
}

// Back through yₖ = yₖ₋₂ + fₖ(yₖ₋₁), from (yₖ₋₁, yₖ) to (yₖ₋₂, yₖ₋₁):
//   dyₖ₋₁ += dyₖ ∂fₖ/∂yₖ₋₁;  dyₖ₋₂ = dyₖ
Streams backward(Streams y, const ReversibleBlock& block, const Context& c, Tape& tape) {
  Context again = c;
  again.tape = &tape;
  again.repeats = true;
  const ClearedTape cleared(tape);
  const Ragged r = block(y.older, again).sum(again);
  Context quiet = without_tape(c);
  Ragged before = y.newer.with(add(y.newer.values, r.values, quiet, 1.0F, -1.0F));
  before.values.set_requires_gradient();
  const Tensor dy = y.newer.values.gradient();
  add_gradient(before.values, dy, c);
  r.values.storage()->gradient = dy.storage();
  y.newer = {};
  tape.backward();
  return {std::move(before), std::move(y.older)};
}

}  // namespace

Ragged reversible(const Ragged& x, std::vector<ReversibleBlock> blocks, Context& c, Tape& tape) {
  check(blocks.size() > 1, "reversible: two streams need two blocks or more, not {}",
        blocks.size());
  Context quiet = without_tape(c);
  const auto y = std::make_shared<Streams>(Streams{x, x});
  if (c.tape != nullptr) {
    c.tape->record([x, y, saved = c] {
      if (y->newer.values.gradient()) {
        add_gradient(x.values, y->older.values.gradient(), saved);
        add_gradient(x.values, y->newer.values.gradient(), saved);
      }
    });
  }
  for (ReversibleBlock& block : blocks) {
    preemption_point();
    const Ragged r = block(y->newer, quiet).sum(quiet);
    Ragged sum = y->older.with(add(y->older.values, r.values, quiet));  // [T, d_model]
    *y = {std::move(y->newer), std::move(sum)};
    if (c.tape != nullptr) {
      c.tape->record([y, block = std::move(block), saved = c, &tape] {
        if (y->newer.values.gradient()) {
          *y = backward(std::move(*y), block, saved, tape);
        }
      });
    }
  }
  if (c.tape != nullptr) {
    y->older.values.set_requires_gradient();
    y->newer.values.set_requires_gradient();
  }
  return x.with(add(y->older.values, y->newer.values, c));  // [T, d_model]
}

}  // namespace yona
