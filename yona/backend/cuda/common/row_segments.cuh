// Sums over rows of the same id, for gradients of what was looked up: deterministic, no atomics.
//
// Rows of the same id are found by sorting (stable, so that they stay in the order of rows). A warp
// adds up the rows of an id that has few of them, one after another; a block those of an id that
// has many: warp w takes every eighth, and the eight sums are added in order.
#pragma once

#include "yona/backend/cuda/common/dropout.cuh"
#include "yona/backend/cuda/runtime/sort.h"

namespace yona::cuda {

// gradient[id] += factor · Σ dropout(dy) over the rows of the id, for ids other than `skipped`.
template <class T, class G>
struct Segments {
  const std::int32_t* ids = nullptr;   // sorted
  const std::int32_t* rows = nullptr;  // the row of each
  std::int64_t count = 0;
  Rows<T> dy;
  Rows<G> gradient;
  float factor = 1.0F;
  std::int32_t skipped = -1;
  const std::uint64_t* row_keys = nullptr;
  Dropout dropout{};
};

constexpr int kFew = kLanes;  // rows of an id that a warp adds up

// sums += dropout(dy) of a row's channels first + 8 · lane …
template <class T, class G>
__device__ void add_row(const Segments<T, G>& s, std::int32_t row, std::int64_t first, int lane,
                        float (&sums)[kPack]) {
  float v[kPack];
  s.dy.load(row, first + lane * kPack, v);
  if (s.dropout.threshold != 0) {
    drop(s.dropout, s.row_keys[row], first, lane, v);
  }
#pragma unroll
  for (int i = 0; i < kPack; ++i) {
    sums[i] += v[i];
  }
}

// The warp of place i of the sorted list does nothing unless an id with few rows begins there.
template <class T, class G>
__global__ void __launch_bounds__(kThreads) few_rows_kernel(Segments<T, G> s) {
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const std::int64_t begin =
      static_cast<std::int64_t>(blockIdx.x) * kWarps + static_cast<int>(threadIdx.x) / kLanes;
  if (begin >= s.count) {
    return;
  }
  const std::int32_t id = s.ids[begin];
  if (id == s.skipped || (begin > 0 && s.ids[begin - 1] == id) ||
      (begin + kFew < s.count && s.ids[begin + kFew] == id)) {
    return;
  }
  const std::int64_t place = min(begin + lane, s.count - 1);
  const std::uint32_t same =
      __ballot_sync(0xFFFFFFFFU, begin + lane < s.count && s.ids[place] == id);
  const std::int32_t row = s.rows[place];
  const int rows = __popc(same);
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.y) * kChunk;
  float sums[kPack] = {};
#pragma unroll 4
  for (int i = 0; i < rows; ++i) {
    add_row(s, __shfl_sync(0xFFFFFFFFU, row, i), first, lane, sums);
  }
#pragma unroll
  for (float& sum : sums) {
    sum *= s.factor;
  }
  s.gradient.put(id, first + lane * kPack, sums, true);
}

// Block i does nothing unless place 32 · i of the sorted list is the first such place of an id with
// many rows: each of them has one.
template <class T, class G>
__global__ void __launch_bounds__(kThreads) many_rows_kernel(Segments<T, G> s) {
  __shared__ float parts[kWarps][kChunk];
  const std::int64_t inside = static_cast<std::int64_t>(blockIdx.x) * kFew;
  const std::int32_t id = s.ids[inside];
  if (id == s.skipped || (inside >= kFew && s.ids[inside - kFew] == id)) {
    return;
  }
  const int warp = static_cast<int>(threadIdx.x) / kLanes;
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const bool before = inside > lane && s.ids[inside - 1 - lane] == id;
  const std::int64_t begin = inside - __popc(__ballot_sync(0xFFFFFFFFU, before));
  if (begin + kFew >= s.count || s.ids[begin + kFew] != id) {
    return;
  }
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.y) * kChunk;
  float sums[kPack] = {};
  for (std::int64_t i = begin + warp; i < s.count && s.ids[i] == id; i += kWarps) {
    add_row(s, s.rows[i], first, lane, sums);
  }
#pragma unroll
  for (int i = 0; i < kPack; ++i) {
    parts[warp][lane * kPack + i] = sums[i];
  }
  __syncthreads();
  const std::int64_t column = first + threadIdx.x;
  if (column < s.dy.cols) {
    float total = 0.0F;
#pragma unroll
    for (int w = 0; w < kWarps; ++w) {
      total += parts[w][threadIdx.x];
    }
    G& sum = s.gradient.row(id)[column];
    sum = from_float<G>(to_float(sum) + s.factor * total);
  }
}

// Sorts `ids` of [0, bound), one for each of `rows` rows of dy, and adds up. Fills in the first
// three members of `segments`.
template <class T, class G>
void add_row_segments(Segments<T, G> segments, const std::int32_t* ids, std::int64_t rows,
                      std::int64_t bound, Exec& exec) {
  const SortedIds sorted = sort_ids(ids, rows, bound, exec_of(exec));
  segments.ids = sorted.ids;
  segments.rows = sorted.rows;
  segments.count = rows;
  const unsigned chunks = blocks_for(segments.dy.cols, kChunk);
  few_rows_kernel<<<dim3(blocks_for(rows, kWarps), chunks), kThreads, 0, stream_of(exec)>>>(
      segments);
  many_rows_kernel<<<dim3(blocks_for(rows, kFew), chunks), kThreads, 0, stream_of(exec)>>>(
      segments);
}

}  // namespace yona::cuda
