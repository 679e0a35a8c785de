// What a decoder without attention reads of its source: at position t of the target, the state at
// position t of the memory, and beyond its end that of its last row (ByteNet's dynamic unfolding).
// Of a memory with one row per sentence, every token of the target reads that row.
#pragma once

#include "yona/nn/linear.h"
#include "yona/tensor/context.h"
#include "yona/tensor/ragged.h"

namespace yona {

// The product of the memory, by the rows that each token of the target reads: [T_target, out]. With
// a cache, the newest token of each row alone; the product is then kept from the first step on.
Tensor unfolded(const Ragged& memory, const Layout& target, const Linear& product, Context& c);

}  // namespace yona
