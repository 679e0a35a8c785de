#include "yona/backend/cuda/capability.h"

#include "yona/backend/cuda/exec.h"

namespace yona::cuda {

bool is_hopper() {
  int device = 0;
  int major = 0;
  int minor = 0;
  check_cuda(cudaGetDevice(&device), "finding the GPU");
  check_cuda(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device),
             "asking for the GPU");
  check_cuda(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device),
             "asking for the GPU");
  return major == 9 && minor == 0;
}

}  // namespace yona::cuda
