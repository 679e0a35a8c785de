#include <algorithm>

#include "yona/backend/cuda/column_sums.h"
#include "yona/backend/cuda/rows.cuh"

namespace yona::cuda {

namespace {

constexpr int kBlockCols = 16;  // 64 bytes of every slice; blocks enough to keep the device busy
constexpr int kSumThreads = 512;
constexpr int kGroups = kSumThreads / kBlockCols;  // of strands

struct AllSums {
  ColumnSums sums[kMostColumnSums];
};

// A block takes 16 columns, kWide of them to a lane: strand y adds slices y, y + kStrands, …; then
// the strands are added in order, in groups first.
template <int kWide>
__global__ void __launch_bounds__(kSumThreads) column_sums_kernel(AllSums all, std::int64_t cols) {
  constexpr int kLanesOfSlice = kBlockCols / kWide;
  constexpr int kStrands = kSumThreads / kLanesOfSlice;
  constexpr int kOfGroup = kStrands / kGroups;
  __shared__ float strands[kStrands][kBlockCols];
  const ColumnSums sums = all.sums[blockIdx.y];
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * kBlockCols;
  const int thread = static_cast<int>(threadIdx.x);
  const int place = thread % kLanesOfSlice * kWide;
  float sum[kWide] = {};
  if (first + place < cols) {
#pragma unroll 8
    for (std::int64_t slice = thread / kLanesOfSlice; slice < sums.slices; slice += kStrands) {
      const float* from = sums.partials + slice * cols + first + place;
      if constexpr (kWide == 4) {
        const float4 x = *reinterpret_cast<const float4*>(from);
        sum[0] += x.x, sum[1] += x.y, sum[2] += x.z, sum[3] += x.w;
      } else {
        sum[0] += *from;
      }
    }
  }
#pragma unroll
  for (int i = 0; i < kWide; ++i) {
    strands[thread / kLanesOfSlice][place + i] = sum[i];
  }
  __syncthreads();
  const int column = thread % kBlockCols;
  const int strand = thread / kBlockCols * kOfGroup;
#pragma unroll
  for (int i = 1; i < kOfGroup; ++i) {
    strands[strand][column] += strands[strand + i][column];
  }
  __syncthreads();
  if (thread < kBlockCols && first + column < cols) {
    float total = 0.0F;
#pragma unroll
    for (int g = 0; g < kGroups; ++g) {
      total += strands[g * kOfGroup][column];
    }
    sums.out[first + column] += total;
  }
}

}  // namespace

void add_column_sums(std::initializer_list<ColumnSums> sums, std::int64_t cols,
                     cudaStream_t stream) {
  AllSums all;
  unsigned count = 0;
  for (const ColumnSums& some : sums) {
    if (some.out != nullptr) {
      all.sums[count++] = some;
    }
  }
  if (count == 0 || cols == 0) {
    return;
  }
  const bool aligned = cols % 4 == 0 && std::all_of(all.sums, all.sums + count, [](const auto& s) {
                         return reinterpret_cast<std::uintptr_t>(s.partials) % 16 == 0;
                       });
  const dim3 grid(blocks_for(cols, kBlockCols), count);
  if (aligned) {
    column_sums_kernel<4><<<grid, kSumThreads, 0, stream>>>(all, cols);
  } else {
    column_sums_kernel<1><<<grid, kSumThreads, 0, stream>>>(all, cols);
  }
  check_launch("column sums");
}

}  // namespace yona::cuda
