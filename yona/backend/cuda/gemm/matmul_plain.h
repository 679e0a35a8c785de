// The product of any shape, one thread to each element of the result: for the few that cuBLASLt
// refuses, such as a single column of bf16.
#pragma once

#include <cuda_runtime.h>

#include "yona/backend/kernel_args.h"

namespace yona::cuda {

// As the kernel of the table; operands, result and bias are f32 or bf16 as they are.
void multiply_plainly(const MatmulArgs& args, cudaStream_t stream);

}  // namespace yona::cuda
