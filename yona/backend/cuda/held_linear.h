// y = activation(x Wᵀ + bias) of many rows on Hopper, by a product whose weights stay in registers.
#pragma once

#include "yona/backend/kernel_args.h"

namespace yona::cuda {

// False, with nothing done, where types, sizes or the GPU do not suit the kernel, or another is
// faster.
bool multiply_held(const MatmulArgs& args, Exec& exec);

}  // namespace yona::cuda
