// How much of the gradients of weights a GPU computes at a time (gemm/weight_gradients.cuh).
#pragma once

#include <cstdint>

namespace yona::cuda {

// In tiles (backend/kernel_args.h): 0 where the GPU has no kernel for many weights at once.
std::int64_t weight_gradient_tiles_at_a_time();

}  // namespace yona::cuda
