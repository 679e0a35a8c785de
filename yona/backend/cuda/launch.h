// Whether kernels are launched early (launch.cuh).
#pragma once

namespace yona::cuda {

// Can the device begin kernels before those in front of them have ended? YONA_CUDA_EARLY=0 says no,
// for comparisons.
bool launches_early();

}  // namespace yona::cuda
