// Programmatic dependent launch (PDL): on Hopper a grid's blocks may start while the previous grid
// of the stream drains, which shortens the gap between launches. The kernel must begin with
// wait_for_previous_grid() in all of its threads, before it reads or writes memory and before any
// of them returns: a grid that ends without having waited lets the next one begin too soon.
#pragma once

#include <cstddef>
#include <cuda_runtime.h>

#include "yona/backend/cuda/runtime/capability.h"
#include "yona/backend/cuda/runtime/exec.h"

namespace yona::cuda {

// At once where the launch was an ordinary one.
__device__ inline void wait_for_previous_grid() {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// Is there code that waits, on a GPU that can? Not while a graph is captured: graphs stay as they
// are.
inline bool allows_dependent_launch(cudaStream_t stream) {
#ifdef YONA_CUDA_90A
  static const bool can = is_hopper();
  cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
  if (can) {
    check_cuda(cudaStreamIsCapturing(stream, &capture), "asking for a capture");
  }
  return can && capture == cudaStreamCaptureStatusNone;
#else
  static_cast<void>(stream);
  return false;
#endif
}

// The launch attribute of PDL.
inline cudaLaunchAttribute dependent_launch_attribute() {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  return attribute;
}

struct LaunchShape {
  dim3 blocks;
  int threads = 0;
  int shared_bytes = 0;
};

// kernel<<<blocks, threads, shared_bytes, stream>>>(arguments...), with PDL where the GPU has it.
template <class... Parameters, class... Arguments>
void launch_dependent(void (*kernel)(Parameters...), const LaunchShape& shape, cudaStream_t stream,
                      const char* name, const Arguments&... arguments) {
  cudaLaunchAttribute attribute = dependent_launch_attribute();
  const cudaLaunchConfig_t config{shape.blocks,
                                  dim3(static_cast<unsigned>(shape.threads)),
                                  static_cast<std::size_t>(shape.shared_bytes),
                                  stream,
                                  &attribute,
                                  allows_dependent_launch(stream) ? 1U : 0U};
  check_cuda(cudaLaunchKernelEx(&config, kernel, arguments...), name);
}

}  // namespace yona::cuda
