#include "yona/backend/cuda/column_sums.h"
#include "yona/backend/cuda/rows.cuh"

namespace yona::cuda {

namespace {

constexpr int kStrands = 32;  // sums that run side by side in a column

// A block takes 32 columns: strand y adds slices y, y + 32, …; then the strands are added in order.
__global__ void __launch_bounds__(kLanes* kStrands)
    column_sums_kernel(ColumnSums first, ColumnSums second, std::int64_t slices,
                       std::int64_t cols) {
  __shared__ float strands[kStrands][kLanes];
  const ColumnSums sums = blockIdx.y == 0 ? first : second;
  const std::int64_t column = static_cast<std::int64_t>(blockIdx.x) * kLanes + threadIdx.x;
  float sum = 0.0F;
  if (column < cols) {
#pragma unroll 8
    for (std::int64_t slice = threadIdx.y; slice < slices; slice += kStrands) {
      sum += sums.partials[slice * cols + column];
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
    sums.out[column] += total;
  }
}

}  // namespace

void add_column_sums(const float* partials, std::int64_t slices, std::int64_t cols, float* out,
                     cudaStream_t stream) {
  add_column_sums({partials, out}, {}, slices, cols, stream);
}

void add_column_sums(const ColumnSums& first, const ColumnSums& second, std::int64_t slices,
                     std::int64_t cols, cudaStream_t stream) {
  if (first.out == nullptr && second.out == nullptr) {
    return;
  }
  const dim3 grid(blocks_for(cols, kLanes),
                  first.out != nullptr && second.out != nullptr ? 2U : 1U);
  column_sums_kernel<<<grid, dim3(kLanes, kStrands), 0, stream>>>(
      first.out != nullptr ? first : second, second, slices, cols);
  check_launch("column sums");
}

}  // namespace yona::cuda
