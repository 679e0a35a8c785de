#include "yona/backend/cuda/runtime/capability.h"

#include "yona/backend/cuda/runtime/exec.h"

namespace yona::cuda {

namespace {

int attribute(cudaDeviceAttr which) {
  int device = 0;
  int value = 0;
  check_cuda(cudaGetDevice(&device), "finding the GPU");
  check_cuda(cudaDeviceGetAttribute(&value, which, device), "asking for the GPU");
  return value;
}

}  // namespace

bool is_hopper() {
  return attribute(cudaDevAttrComputeCapabilityMajor) == 9 &&
         attribute(cudaDevAttrComputeCapabilityMinor) == 0;
}

int shared_memory_limit() {
  static const int bytes = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  return bytes;
}

}  // namespace yona::cuda
