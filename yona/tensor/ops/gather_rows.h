// Rows of a tensor by their numbers: the class token of each sequence, masked places, the parents
// of a beam.
#pragma once

#include "yona/tensor/context.h"

namespace yona {

// x [N, d], rows i32 [n] → [n, d]: row i is x's row rows[i]. Numbers must lie in [0, N) (they are
// not checked: they may be on a device) and may repeat.
Tensor gather_rows(const Tensor& x, const Tensor& rows, Context& c);

}  // namespace yona
