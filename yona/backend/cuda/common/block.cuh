// Sums and maxima over a block of kThreads threads that works on one row, in a fixed order.
#pragma once

#include "yona/backend/cuda/common/rows.cuh"

namespace yona::cuda {

// Combines one value per thread; every thread gets the result. Two barriers.
template <class Combine>
__device__ float block_reduce(float x, float nothing, const Combine& combine) {
  __shared__ float parts[kWarps];
#pragma unroll
  for (int distance = kLanes / 2; distance > 0; distance /= 2) {
    x = combine(x, __shfl_xor_sync(0xFFFFFFFFU, x, distance));
  }
  __syncthreads();  // earlier reads of parts are over
  if (threadIdx.x % kLanes == 0) {
    parts[threadIdx.x / kLanes] = x;
  }
  __syncthreads();
  float total = nothing;
#pragma unroll
  for (int warp = 0; warp < kWarps; ++warp) {
    total = combine(total, parts[warp]);
  }
  return total;
}

__device__ inline float block_sum(float x) {
  return block_reduce(x, 0.0F, [](float a, float b) { return a + b; });
}

__device__ inline float block_max(float x) {
  return block_reduce(x, -INFINITY, [](float a, float b) { return fmaxf(a, b); });
}

// A row of logits: the largest, the log of Σ exp and the plain sum. -infinity, -infinity for a row
// that is -infinity throughout.
struct LogSum {
  float log_sum = 0.0F;
  float plain_sum = 0.0F;
};

template <class T>
__device__ LogSum log_sum_of_row(const Rows<T>& z, std::int64_t row) {
  float largest = -INFINITY;  // of this thread so far
  float sum = 0.0F;           // Σ exp(z - largest)
  float plain = 0.0F;
  for (std::int64_t c = threadIdx.x * kPack; c < z.cols; c += kThreads * kPack) {
    float v[kPack];
    z.load(row, c, v);
    float pack_largest = largest;
#pragma unroll
    for (int i = 0; i < kPack; ++i) {
      v[i] = c + i < z.cols ? v[i] : -INFINITY;
      pack_largest = fmaxf(pack_largest, v[i]);
    }
    if (pack_largest == -INFINITY) {
      plain = -INFINITY;
      continue;
    }
    sum *= expf(largest - pack_largest);
    largest = pack_largest;
#pragma unroll
    for (int i = 0; i < kPack; ++i) {
      sum += expf(v[i] - largest);
      plain += c + i < z.cols ? v[i] : 0.0F;
    }
  }
  const float all = block_max(largest);
  if (all == -INFINITY) {
    return {-INFINITY, -INFINITY};
  }
  const float total = block_sum(largest == -INFINITY ? 0.0F : sum * expf(largest - all));
  return {all + logf(total), block_sum(plain)};
}

}  // namespace yona::cuda
