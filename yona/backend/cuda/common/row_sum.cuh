// The sum of some rows, by one block: warp w takes every eighth of them, and the eight sums are
// added in order, so that the same rows give the same bits.
#pragma once

#include "yona/backend/cuda/common/pack.cuh"

namespace yona::cuda {

// Channel first + threadIdx.x of the sum of rows row_of(k) of x, for k = 0 … count - 1. Called once
// by all kThreads threads of the block; channels after the last of x are of no use.
template <class T, class RowOf>
__device__ float row_sum(const Rows<T>& x, std::int64_t first, std::int64_t count,
                         const RowOf& row_of) {
  static_assert(kThreads == kChunk);
  __shared__ float parts[kWarps][kChunk];
  const int warp = static_cast<int>(threadIdx.x) / kLanes;
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  float sums[kPack] = {};
  for (std::int64_t k = warp; k < count; k += kWarps) {
    float v[kPack];
    x.load(row_of(k), first + lane * kPack, v);
#pragma unroll
    for (int i = 0; i < kPack; ++i) {
      sums[i] += v[i];
    }
  }
#pragma unroll
  for (int i = 0; i < kPack; ++i) {
    parts[warp][lane * kPack + i] = sums[i];
  }
  __syncthreads();
  float total = 0.0F;
#pragma unroll
  for (int w = 0; w < kWarps; ++w) {
    total += parts[w][threadIdx.x];
  }
  return total;
}

}  // namespace yona::cuda
