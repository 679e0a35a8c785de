// Two tensors side by side.
#pragma once

#include "yona/tensor/context.h"

namespace yona {

// a [rows, n], b [rows, m] → [rows, n + m].
Tensor join_columns(const Tensor& a, const Tensor& b, Context& c);

}  // namespace yona
