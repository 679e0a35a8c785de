#include "yona/backend/cuda/column_sums.h"
#include "yona/backend/cuda/rows.cuh"

namespace yona::cuda {

namespace {

constexpr int kStrands = 16;  // sums that run side by side in a column

// A block takes 32 columns: strand y adds slices y, y + 16, …; then the strands are added in order.
__global__ void __launch_bounds__(kLanes* kStrands)
    column_sums_kernel(const float* partials, std::int64_t slices, std::int64_t cols, float* out) {
  __shared__ float strands[kStrands][kLanes];
  const std::int64_t column = static_cast<std::int64_t>(blockIdx.x) * kLanes + threadIdx.x;
  float sum = 0.0F;
  if (column < cols) {
    for (std::int64_t slice = threadIdx.y; slice < slices; slice += kStrands) {
      sum += partials[slice * cols + column];
    }
  }
  strands[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y == 0 && column < cols) {
    float total = 0.0F;
#pragma unroll
    for (int strand = 0; strand < kStrands; ++strand) {
      total += strands[strand][threadIdx.x];
    }
    out[column] += total;
  }
}

}  // namespace

void add_column_sums(const float* partials, std::int64_t slices, std::int64_t cols, float* out,
                     cudaStream_t stream) {
  column_sums_kernel<<<blocks_for(cols, kLanes), dim3(kLanes, kStrands), 0, stream>>>(
      partials, slices, cols, out);
  check_launch("column sums");
}

}  // namespace yona::cuda
