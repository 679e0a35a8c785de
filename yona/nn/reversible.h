// Reversible layers (Gomez et al. 2017; Kitaev et al. 2020, "Reformer", section 3): a stack whose
// backward pass computes the inputs of its blocks from their outputs, so that the memory of
// activations does not grow with the number of layers. There are two streams, which take turns:
//
//   y₁ = x + f₁(x),  y₂ = x + f₂(y₁),  yₖ = yₖ₋₂ + fₖ(yₖ₋₁);   the stack returns yₙ₋₁ + yₙ
//   yₖ₋₂ = yₖ - fₖ(yₖ₋₁)                                       on the way back
//
// A block fₖ is a norm, a sub-layer and dropout, without a residual connection of its own. With two
// blocks a layer these are the paper's Y₁ = X₁ + Attention(X₂) and Y₂ = X₂ + FeedForward(Y₁).
// Subtracting rounds, so inputs and gradients are those of the forward pass but for rounding; they
// do not depend on the number of threads. Cost: one more forward pass, as with nn/recompute.h.
#pragma once

#include <functional>
#include <vector>

#include "yona/nn/norm.h"
#include "yona/tensor/context.h"

namespace yona {

// fₖ: its result depends on its input, the weights and the context's counters alone.
using ReversibleBlock = std::function<Residual(const Ragged& x, Context& c)>;

// x [T, d_model] → [T, d_model], through two blocks or more. Each records its own closure, so that
// gradients of later blocks are exchanged between ranks while those of earlier ones are computed.
// `tape` is empty but while the backward pass of a block runs, and must outlive that.
Ragged reversible(const Ragged& x, std::vector<ReversibleBlock> blocks, Context& c, Tape& tape);

}  // namespace yona
