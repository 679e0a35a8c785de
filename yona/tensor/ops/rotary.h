// Rotary position embedding (Su et al. 2021) of queries and keys.
#pragma once

#include "yona/tensor/context.h"
#include "yona/tensor/ragged.h"

namespace yona {

// Turns x [T, heads · d_k] in place: the columns of Q and K of one product, before attention reads
// them. positions i32 [T], in [0, rows of the table) (not checked: they may be on a device); table
// [positions, r], r ≤ d_k: cosines and sines as RotaryArgs wants them (nn/rotary.h makes it).
// In place, forward and backward: the gradient of x is turned back where it is. So x must not have
// been used by an op that needs its values for its own gradient.
void rotary(const Tensor& x, const Tensor& positions, const Tensor& table, std::int64_t d_k,
            Context& c);

}  // namespace yona
