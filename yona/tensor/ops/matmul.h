// Matrix product.
#pragma once

#include "yona/tensor/context.h"

namespace yona {

enum class Transpose : bool { no, yes };

// a · b, or a · bᵀ: [m, k] with [k, n] (or [n, k]) → [m, n].
Tensor matmul(const Tensor& a, const Tensor& b, Transpose transpose_b, Context& c);

}  // namespace yona
