#include <algorithm>

#include "yona/backend/cuda/common/dependent_launch.cuh"
#include "yona/backend/cuda/common/rows.cuh"
#include "yona/backend/cuda/runtime/exec.h"

namespace yona::cuda {

namespace {

constexpr int kBlockCols = 16;  // 64 bytes of every slice; blocks enough to keep the device busy
constexpr int kSumThreads = 512;
constexpr int kGroups = kSumThreads / kBlockCols;  // of strands

constexpr std::int64_t kLeastFloats =
    1 << 23;                             // floats: some ten calls' partial sums of a base model
constexpr std::size_t kMostSums = 64;    // of one kernel
constexpr std::int64_t kAlignment = 64;  // floats
constexpr std::int64_t kMostParts = 3;

struct AllSums {
  ColumnSums sums[kMostSums];
};

// How many strands of its columns a block holds.
using Strands = float[kSumThreads * 4 / kBlockCols][kBlockCols];

// kWide columns to a lane: strand y adds slices y, y + kStrands, …; then the strands are added in
// order, in groups first.
template <int kWide>
__device__ void add_slices(const ColumnSums& sums, std::int64_t first, Strands& strands) {
  constexpr int kLanesOfSlice = kBlockCols / kWide;
  constexpr int kStrands = kSumThreads / kLanesOfSlice;
  constexpr int kOfGroup = kStrands / kGroups;
  const std::int64_t cols = sums.cols;
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

// A block takes 16 columns of one of the sums. How it adds depends on these alone, not on what else
// waited.
__global__ void __launch_bounds__(kSumThreads)
    column_sums_kernel(const __grid_constant__ AllSums all) {
  __shared__ Strands strands;
  wait_for_previous_grid();
  const ColumnSums& sums = all.sums[blockIdx.y];
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * kBlockCols;
  if (first >= sums.cols) {
    return;
  }
  if (sums.cols % 4 == 0) {  // then every slice begins at a multiple of 16 bytes
    add_slices<4>(sums, first, strands);
  } else {
    add_slices<1>(sums, first, strands);
  }
}

}  // namespace

PendingSums::~PendingSums() { cudaFree(memory_); }

void PendingSums::begin(std::int64_t count, cudaStream_t stream) {
  count += kMostParts * kAlignment;
  if (used_ + count <= capacity_) {
    return;
  }
  flush(stream);
  if (count > capacity_) {
    check_cuda(cudaStreamSynchronize(stream), "the computation");
    cudaFree(memory_);
    memory_ = nullptr;
    capacity_ = 0;
    const std::int64_t wanted = std::max(kLeastFloats, count + count / 4);
    void* memory = nullptr;
    check_cuda(cudaMalloc(&memory, sizeof(float) * static_cast<std::size_t>(wanted)),
               "taking memory for sums");
    memory_ = static_cast<float*>(memory);
    capacity_ = wanted;
  }
}

float* PendingSums::take(std::int64_t count) {
  check(used_ + count <= capacity_, "cuda: the buffer for {} partial sums is too small for {} more",
        capacity_, count);
  float* taken = memory_ + used_;
  used_ += (count + kAlignment - 1) / kAlignment * kAlignment;
  return taken;
}

void PendingSums::add(std::initializer_list<ColumnSums> sums, cudaStream_t stream) {
  for (const ColumnSums& some : sums) {
    if (some.out == nullptr || some.cols == 0) {
      continue;
    }
    const bool overlaps =
        std::any_of(waiting_.begin(), waiting_.end(), [&](const ColumnSums& other) {
          return other.out < some.out + some.cols && some.out < other.out + other.cols;
        });
    if (overlaps || waiting_.size() == kMostSums) {  // two of one output are added one by one
      launch(stream);
    }
    waiting_.push_back(some);
  }
  if (!in_pass_) {
    flush(stream);
  }
}

void PendingSums::abandon_pass() {
  waiting_.clear();
  used_ = 0;
  in_pass_ = false;
}

void PendingSums::end_pass(cudaStream_t stream) {
  in_pass_ = false;
  flush(stream);
}

void PendingSums::flush(cudaStream_t stream) {
  launch(stream);
  used_ = 0;  // kernels that write there again come after it
}

void PendingSums::launch(cudaStream_t stream) {
  if (waiting_.empty()) {
    return;
  }
  AllSums all;
  std::copy(waiting_.begin(), waiting_.end(), all.sums);
  const auto widest =
      std::max_element(waiting_.begin(), waiting_.end(),
                       [](const auto& a, const auto& b) { return a.cols < b.cols; });
  const dim3 grid(blocks_for(widest->cols, kBlockCols), static_cast<unsigned>(waiting_.size()));
  launch_dependent(column_sums_kernel, {grid, kSumThreads}, stream, "column sums", all);
  waiting_.clear();
}

}  // namespace yona::cuda
