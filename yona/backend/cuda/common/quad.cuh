// The largest and the sum over four neighbouring lanes: in products of tensor cores those which
// share a row of sums.
#pragma once

namespace yona::cuda {

__device__ inline float quad_max(float x) {
  x = fmaxf(x, __shfl_xor_sync(0xFFFFFFFFU, x, 1));
  return fmaxf(x, __shfl_xor_sync(0xFFFFFFFFU, x, 2));
}
__device__ inline float quad_sum(float x) {
  x += __shfl_xor_sync(0xFFFFFFFFU, x, 1);
  return x + __shfl_xor_sync(0xFFFFFFFFU, x, 2);
}

}  // namespace yona::cuda
