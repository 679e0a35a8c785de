// Sums over rows of the same id, for gradients of what was looked up: deterministic, no atomics.
//
// Rows of the same id are found by sorting (stable, so that they stay in the order of rows). A warp
// adds up the rows of an id that has few of them, one after another; a block those of an id that
// has many: warp w takes every eighth, and the eight sums are added in order. Of a table of a few
// rows (segments of BERT's texts), each row is the sum of a large part of all rows: slices of these
// are added up by blocks of their own, and the slices in order.
#pragma once

#include <algorithm>
#include <type_traits>

#include "yona/backend/cuda/common/dropout.cuh"
#include "yona/backend/cuda/norm/column_sums.h"
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

constexpr std::int64_t kSmallTable = 4;         // rows
constexpr std::int64_t kSmallTableUses = 4096;  // fewer are sorted

// partials[id, slice] = the sum over the rows of a slice that have the id. Blocks are (columns,
// slice, id); ids are in the order of rows.
template <class T>
__global__ void __launch_bounds__(kThreads)
    slices_kernel(Segments<T, float> s, std::int64_t slice_rows, float* partials) {
  __shared__ float parts[kWarps][kChunk];
  const auto id = static_cast<std::int32_t>(blockIdx.z);
  const int warp = static_cast<int>(threadIdx.x) / kLanes;
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * kChunk;
  const std::int64_t begin = static_cast<std::int64_t>(blockIdx.y) * slice_rows;
  const std::int64_t end = min(begin + slice_rows, s.count);
  float sums[kPack] = {};
#pragma unroll 4
  for (std::int64_t row = begin + warp; row < end; row += kWarps) {
    if (s.ids[row] == id && id != s.skipped) {
      add_row(s, static_cast<std::int32_t>(row), first, lane, sums);
    }
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
    partials[(static_cast<std::int64_t>(id) * gridDim.y + blockIdx.y) * s.dy.cols + column] =
        s.factor * total;
  }
}

// The same result as add_row_segments(), for a table of at most kSmallTable rows.
template <class T>
void add_to_small_table(Segments<T, float> segments, const std::int32_t* ids, std::int64_t rows,
                        std::int64_t bound, Exec& exec) {
  segments.ids = ids;
  segments.count = rows;
  const std::int64_t cols = segments.dy.cols;
  const std::int64_t slice_rows = std::max<std::int64_t>(64, (rows + 255) / 256);
  const unsigned slices = blocks_for(rows, slice_rows);
  PendingSums& sums = exec_of(exec).sums;
  sums.begin(bound * slices * cols, stream_of(exec));
  float* partials = sums.take(bound * slices * cols);
  const dim3 grid(blocks_for(cols, kChunk), slices, static_cast<unsigned>(bound));
  slices_kernel<<<grid, kThreads, 0, stream_of(exec)>>>(segments, slice_rows, partials);
  for (std::int64_t id = 0; id < bound; ++id) {
    sums.add({{partials + id * slices * cols,
               segments.gradient.data + id * segments.gradient.stride, slices, cols}},
             stream_of(exec));
  }
}

// Sorts `ids` of [0, bound), one for each of `rows` rows of dy, and adds up. Fills in the first
// three members of `segments`.
template <class T, class G>
void add_row_segments(Segments<T, G> segments, const std::int32_t* ids, std::int64_t rows,
                      std::int64_t bound, Exec& exec) {
  if constexpr (std::is_same_v<G, float>) {
    if (bound <= kSmallTable && rows >= kSmallTableUses) {
      add_to_small_table(segments, ids, rows, bound, exec);
      return;
    }
  }
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
