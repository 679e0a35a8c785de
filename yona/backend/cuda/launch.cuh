// Kernels that are launched before the one in front of them has ended (programmatic dependent
// launches, Hopper and later): their blocks come up while the last ones of the other go, which
// hides much of the time that starting a kernel takes; captured graphs keep it so. Earlier GPUs
// launch as ever.
//
// A kernel that is launched so calls wait_for_previous() in every thread before it touches memory
// that other kernels write or read, and before any thread returns: then everything before it is
// done.
#pragma once

#include <cuda_runtime.h>

#include "yona/backend/cuda/exec.h"
#include "yona/backend/cuda/launch.h"

namespace yona::cuda {

// Lets the next kernel come up, if it is launched early, once all blocks have called this; then
// waits until all that was launched before is done.
__device__ inline void wait_for_previous() {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

template <class... Parameters, class... Arguments>
void launch_early(void (*kernel)(Parameters...), const dim3& grid, int threads, cudaStream_t stream,
                  const Arguments&... arguments) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  const cudaLaunchConfig_t config{grid,       dim3(static_cast<unsigned>(threads)),
                                  0,          stream,
                                  &attribute, launches_early() ? 1U : 0U};
  check_cuda(cudaLaunchKernelEx(&config, kernel, arguments...), "launching a kernel");
}

}  // namespace yona::cuda
