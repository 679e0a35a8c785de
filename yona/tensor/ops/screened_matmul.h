// The product before a greedy choice, which needs only the largest logits. No
// backward pass.
#pragma once

#include "yona/tensor/context.h"

namespace yona {

// a · weightᵀ with a weight [n, k] that is packed (PackedWeights). The `largest` largest elements
// of each row (at most kMostScreened), and every other that comes near them, have the bits of
// matmul(); the rest are smaller, and off by what eight bits for a weight leave. It reads a quarter
// of the memory.
Tensor screened_matmul(const Tensor& a, const Tensor& weight, std::int64_t largest, Context& c);

}  // namespace yona
