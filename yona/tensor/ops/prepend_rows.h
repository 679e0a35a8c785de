// The same rows in front of every sequence of a ragged batch: a class token, object queries.
#pragma once

#include "yona/tensor/context.h"
#include "yona/tensor/ragged.h"

namespace yona {

// x [T, d] of n sequences and first [k, d] → [T + n·k, d], laid out as `layout`: x's sequences,
// each k rows longer. first has the type of sums (f32 where x is bf16), as parameters have; it
// takes the sum over the sequences as its gradient.
Ragged prepend_rows(const Ragged& x, const Tensor& first,
                    const std::shared_ptr<const Layout>& layout, Context& c);

}  // namespace yona
