// What the backward passes of norms share. A warp takes every (grid · 8)th row and adds up its
// share of the weights' gradients as it goes; blocks then leave one row of partial sums each, which
// column_sums.h adds in a fixed order.
#pragma once

#include "yona/backend/cuda/norm/width.cuh"

namespace yona::cuda {

constexpr std::int64_t kMostNormBlocks = 396;  // three for each multiprocessor of an H200

// The sum over the block's warps of one chunk's partial sums, as the block's row of `partials`.
__device__ inline void write_partials(const float (&sums)[kPack], int chunk, std::int64_t d,
                                      float* partials) {
  __shared__ float parts[kWarps][kChunk];
  const int warp = static_cast<int>(threadIdx.x) / kLanes;
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  __syncthreads();
#pragma unroll
  for (int i = 0; i < kPack; ++i) {
    parts[warp][lane * kPack + i] = sums[i];
  }
  __syncthreads();
  const std::int64_t channel = chunk * kChunk + static_cast<int>(threadIdx.x);
  if (channel < d) {
    float total = 0.0F;
#pragma unroll
    for (int w = 0; w < kWarps; ++w) {
      total += parts[w][threadIdx.x];
    }
    partials[blockIdx.x * d + channel] = total;
  }
}

// Overwrites, or adds to what is there.
template <bool kExact, class T>
__device__ void put(const Rows<T>& to, std::int64_t row, std::int64_t channel, float (&v)[kPack],
                    bool accumulate) {
  if (accumulate) {
    float there[kPack];
    load_pack<kExact>(to, row, channel, there);
#pragma unroll
    for (int i = 0; i < kPack; ++i) {
      v[i] += there[i];
    }
  }
  store_pack<kExact>(to, row, channel, v);
}

}  // namespace yona::cuda
