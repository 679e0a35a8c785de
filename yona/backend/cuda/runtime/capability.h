// What the GPU in use can do.
#pragma once

#include <cstddef>
#include <cuda_runtime.h>

#include "yona/backend/cuda/runtime/exec.h"

namespace yona::cuda {

// Has it the instructions that only code for sm_90a may use?
bool is_hopper();

// How much shared memory may a block have, in bytes?
int shared_memory_limit();

// Lets a kernel have this much shared memory, which beyond 48 KB has to be asked for.
template <class Kernel>
void allow_shared(Kernel* kernel, std::size_t bytes) {
  if (bytes > std::size_t{48} << 10U) {
    check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(bytes)),
               "asking for shared memory");
  }
}

}  // namespace yona::cuda
