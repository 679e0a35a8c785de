// top_k of rows whose product left statistics (vocabulary/product.cuh): log-sum and bound come from
// a pair for each slice of 128 columns, and only slices that reach the bound are read. Candidates
// and their order are those of top_k.cu; log-sums differ from its by how sums are rounded.
#pragma once

#include "yona/backend/cuda/vocabulary/epilogue.cuh"
#include "yona/backend/cuda/vocabulary/top_k.cuh"

namespace yona::cuda {

struct RowSlices {
  static constexpr int kCols = VocabularyTile::kCols;
  static constexpr int kMost = 1024;
  static constexpr int kMostOfThread = kMost / kThreads;
  const float2* exponentials = nullptr;  // [count, stride]
  std::int64_t stride = 0;
  int count = 0;
};

// log Σ exp of the row, in double, and the largest of each slice; NaN as in read_row().
__device__ inline double read_slices(const RowSlices& slices, std::int64_t row, float* largest) {
  float2 mine[RowSlices::kMostOfThread];
  float top = -INFINITY;
#pragma unroll
  for (int i = 0; i < RowSlices::kMostOfThread; ++i) {
    const int slice = i * kThreads + static_cast<int>(threadIdx.x);
    mine[i] = make_float2(-INFINITY, 0.0F);
    if (slice < slices.count) {
      mine[i] = slices.exponentials[slice * slices.stride + row];
      largest[slice] = mine[i].x;
    }
    top = fmaxf(top, mine[i].x);
  }
  const float all = block_max(top);
  const float base = all == -INFINITY ? 0.0F : all;
  double sum = 0;
#pragma unroll
  for (int i = 0; i < RowSlices::kMostOfThread; ++i) {
    sum += static_cast<double>(mine[i].y) * static_cast<double>(expf(mine[i].x - base));
  }
  return static_cast<double>(base) + log(block_sum_of(sum));
}

// The slices of banned tokens have lost them: a warp to each ban.
__device__ inline void forget_bans_of_slices(const TopKProblem& p, std::int64_t row,
                                             float* largest) {
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const float* z = p.logits.row(row);
  for (std::int64_t i = p.ban_offsets[row] + threadIdx.x / kLanes; i < p.ban_offsets[row + 1];
       i += kWarps) {
    const int slice = p.bans[i] / RowSlices::kCols;
    float top = -INFINITY;
    for (int c = lane; c < RowSlices::kCols; c += kLanes) {
      const int column = slice * RowSlices::kCols + c;
      top = column < p.logits.cols ? fmaxf(top, z[column]) : top;
    }
    largest[slice] = warp_max(top);  // all writers have the same value
  }
  __syncthreads();
}

// Whole numbers that are in the order of floats.
__device__ inline std::uint32_t order_of(float x) {
  const std::uint32_t bits = __float_as_uint(x);
  return (bits & 0x80000000U) != 0 ? ~bits : bits | 0x80000000U;
}
__device__ inline float of_order(std::uint32_t order) {
  return __uint_as_float((order & 0x80000000U) != 0 ? order & 0x7FFFFFFFU : ~order);
}

// The k-th largest of `count` values, by one warp with kOfLane of them to a lane; -infinity when
// there are fewer.
template <int kOfLane>
__device__ float kth_largest(const float* values, int count, int k) {
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const std::uint32_t nothing = order_of(-INFINITY);
  std::uint32_t mine[kOfLane];
#pragma unroll
  for (int i = 0; i < kOfLane; ++i) {
    const int at = i * kLanes + lane;
    mine[i] = at < count ? order_of(values[at]) : nothing;
  }
  std::uint32_t kth = nothing;
  for (int round = 0; round < k; ++round) {
    std::uint32_t top = mine[0];
#pragma unroll
    for (int i = 1; i < kOfLane; ++i) {
      top = max(top, mine[i]);
    }
    kth = __reduce_max_sync(0xFFFFFFFFU, top);
    const unsigned holders = __ballot_sync(0xFFFFFFFFU, top == kth);
    if (lane == __ffs(static_cast<int>(holders)) - 1) {
      bool taken = false;  // one of them, once
#pragma unroll
      for (int i = 0; i < kOfLane; ++i) {
        const bool takes = !taken && mine[i] == kth;
        mine[i] = takes ? nothing : mine[i];
        taken = taken || takes;
      }
    }
  }
  return of_order(kth);
}

// The tokens whose score reaches that of the bound, in order. False: they are too many.
__device__ inline bool list_best_of_slices(const TopKProblem& p, std::int64_t row,
                                           const RowScores& scores, const float* largest,
                                           int slices) {
  __shared__ Candidate listed[kListed];
  __shared__ std::int16_t reaching[RowSlices::kMost];
  __shared__ int count;
  __shared__ int reach;
  __shared__ float kth;
  constexpr int kFew = 10;  // slices of a lane: a vocabulary of 40,960
  if (threadIdx.x < kLanes) {
    const float found = slices <= kFew * kLanes
                            ? kth_largest<kFew>(largest, slices, p.k)
                            : kth_largest<RowSlices::kMost / kLanes>(largest, slices, p.k);
    if (threadIdx.x == 0) {
      count = 0;
      reach = 0;
      kth = found;
    }
  }
  __syncthreads();
  const float bound = scores.of(kth);
  for (int slice = static_cast<int>(threadIdx.x); slice < slices; slice += kThreads) {
    if (largest[slice] > -INFINITY && scores.of(largest[slice]) >= bound) {
      reaching[atomicAdd(&reach, 1)] = static_cast<std::int16_t>(slice);
    }
  }
  __syncthreads();
  constexpr int kOfLane = RowSlices::kCols / kLanes;
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  for (int i = static_cast<int>(threadIdx.x) / kLanes; i < reach; i += kWarps) {
#pragma unroll
    for (int part = 0; part < kOfLane; ++part) {
      const int column = reaching[i] * RowSlices::kCols + part * kLanes + lane;
      const float score = column < scores.cols ? scores.of(scores.z[column]) : -INFINITY;
      if (score >= bound && score > -INFINITY) {
        const int at = atomicAdd(&count, 1);
        if (at < kListed) {
          listed[at] = {score, column};
        }
      }
    }
  }
  __syncthreads();
  return rank_listed(p, row, listed, count);
}

__global__ void __launch_bounds__(kThreads)
    slice_candidates_kernel(TopKProblem p, RowSlices slices) {
  __shared__ float largest[RowSlices::kMost];
  const std::int64_t row = blockIdx.x;
  float kept = 0.0F;
  if (!begin_row(p, row, kept)) {
    return;
  }
  const double sum = read_slices(slices, row, largest);
  find_candidates(
      p, row, sum, kept, [&] { forget_bans_of_slices(p, row, largest); },
      [&](const RowScores& scores) {
        return list_best_of_slices(p, row, scores, largest, slices.count);
      });
}

}  // namespace yona::cuda
