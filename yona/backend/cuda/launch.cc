#include "yona/backend/cuda/launch.h"

#include <cstdlib>
#include <string_view>

#include "yona/backend/cuda/exec.h"

namespace yona::cuda {

namespace {

bool find_out() {
  const char* wish = std::getenv("YONA_CUDA_EARLY");
  if (wish != nullptr && std::string_view(wish) == "0") {
    return false;
  }
  int device = 0;
  int major = 0;
  check_cuda(cudaGetDevice(&device), "asking for the device");
  check_cuda(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device),
             "asking what the device can do");
  constexpr int kHopper = 9;
  return major >= kHopper;
}

}  // namespace

bool launches_early() {
  static const bool early = find_out();
  return early;
}

}  // namespace yona::cuda
