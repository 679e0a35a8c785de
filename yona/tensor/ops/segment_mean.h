// The mean of each sequence's rows: one vector for a sentence, as sentence embeddings are made.
#pragma once

#include "yona/tensor/context.h"
#include "yona/tensor/ragged.h"

namespace yona {

// x [T, d] of n sequences → [n, d]; a sequence without rows gives zero.
Tensor segment_mean(const Ragged& x, Context& c);

}  // namespace yona
