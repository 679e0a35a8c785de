// Launches that do not wait for the kernel in front: on Hopper a grid's blocks may take their
// places while the one in front of it in the stream still ends. Worth about 1 µs a launch on an
// H200. The kernel must begin with wait_for_the_one_in_front() in all of its threads, before it
// reads or writes memory and before any of them returns: a grid that ends without having waited
// lets the next one begin too early.
#pragma once

#include <cstddef>
#include <cuda_runtime.h>

#include "yona/backend/cuda/capability.h"
#include "yona/backend/cuda/exec.h"

namespace yona::cuda {

// At once where the launch was an ordinary one.
__device__ inline void wait_for_the_one_in_front() {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// Is there code that waits, on a GPU that can? Not while a graph is captured: graphs stay as they
// are.
inline bool launches_early(cudaStream_t stream) {
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

// kernel<<<blocks, threads, shared_bytes, stream>>>(argument), early where that can be.
template <class Argument>
void launch_early(void (*kernel)(Argument), unsigned blocks, int threads, int shared_bytes,
                  cudaStream_t stream, const Argument& argument, const char* name) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  const cudaLaunchConfig_t config{dim3(blocks),
                                  dim3(static_cast<unsigned>(threads)),
                                  static_cast<std::size_t>(shared_bytes),
                                  stream,
                                  &attribute,
                                  launches_early(stream) ? 1U : 0U};
  check_cuda(cudaLaunchKernelEx(&config, kernel, argument), name);
}

}  // namespace yona::cuda
