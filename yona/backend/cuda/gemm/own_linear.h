// y = activation(x Wᵀ + bias) of many rows on Hopper, by products of our own: with weights that
// stay in registers (gemm/stationary_linear.cuh), or, deeper than 512, with tiles whose epilogue
// overlaps the next one's products (gemm/transposed_linear.cuh).
#pragma once

#include "yona/backend/kernel_args.h"

namespace yona::cuda {

// False, with nothing done, where types, sizes or the GPU do not suit either kernel, or another is
// faster.
bool multiply_stationary(const MatmulArgs& args, Exec& exec);

}  // namespace yona::cuda
