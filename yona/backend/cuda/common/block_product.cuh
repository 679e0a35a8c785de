// What a block does together over matrices in memory of its own: products, and loops over elements
// and rows. Each ends with a barrier. All threads of the block call them.
#pragma once

#include "yona/backend/cuda/common/rows.cuh"

namespace yona::cuda {

// C [rows, columns] (+)= A · B over `depth`, by all threads of a block: a warp takes 4 rows and 64
// columns at a time, a lane two of the columns.
struct BlockProduct {
  const float* a;
  int a_row, a_column;
  const float* b;
  int b_row, b_column;
  float* c;
  int c_row;
  bool accumulate;

  __device__ void operator()(int rows, int depth, int columns) const {
    constexpr int kRows = 4, kColumns = 2 * kLanes;
    const int lane = static_cast<int>(threadIdx.x) % kLanes;
    const int across = (columns + kColumns - 1) / kColumns;
    const int tiles = (rows + kRows - 1) / kRows * across;
    for (int tile = static_cast<int>(threadIdx.x) / kLanes; tile < tiles; tile += kWarps) {
      const int row = tile / across * kRows;
      const int column = tile % across * kColumns + lane;
      const int last = columns - 1;
      const float* b0 = b + min(column, last) * b_column;
      const float* b1 = b + min(column + kLanes, last) * b_column;
      float sums[kRows][2] = {};
      for (int k = 0; k < depth; ++k) {
        const float x0 = b0[static_cast<std::int64_t>(k) * b_row];
        const float x1 = b1[static_cast<std::int64_t>(k) * b_row];
#pragma unroll
        for (int i = 0; i < kRows; ++i) {
          const float y = a[min(row + i, rows - 1) * a_row + k * a_column];
          sums[i][0] += y * x0;
          sums[i][1] += y * x1;
        }
      }
#pragma unroll
      for (int i = 0; i < kRows; ++i) {
        for (int half = 0; half < 2; ++half) {
          const int at = column + half * kLanes;
          if (row + i < rows && at < columns) {
            float& to = c[static_cast<std::int64_t>(row + i) * c_row + at];
            to = (accumulate ? to : 0.0F) + sums[i][half];
          }
        }
      }
    }
    __syncthreads();
  }
};

// Calls function(i) for i < count, by all threads of a block.
template <class Function>
__device__ void for_each_element(int count, const Function& function) {
  for (int i = static_cast<int>(threadIdx.x); i < count; i += kThreads) {
    function(i);
  }
  __syncthreads();
}

// Calls function(row, lane) for every row, a warp each.
template <class Function>
__device__ void for_each_warp_row(int rows, const Function& function) {
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  for (int row = static_cast<int>(threadIdx.x) / kLanes; row < rows; row += kWarps) {
    function(row, lane);
  }
  __syncthreads();
}

}  // namespace yona::cuda
