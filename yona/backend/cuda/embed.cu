// Embedding, position and dropout; and the gradients of both tables.
//
// Rows of the same id are found by sorting (stable, so that they stay in the order of rows). A warp
// adds up the rows of an id that has few of them, one after another; a block those of an id that
// has many: warp w takes every eighth, and the eight sums are added in order.

#include "yona/backend/cuda/common/dropout.cuh"
#include "yona/backend/cuda/common/pack.cuh"
#include "yona/backend/cuda/runtime/registration.h"
#include "yona/backend/cuda/runtime/sort.h"

namespace yona::cuda {

namespace {

template <class T>
struct Lookup {
  const std::int32_t* ids = nullptr;
  const std::int32_t* position_ids = nullptr;
  const std::uint64_t* row_keys = nullptr;
  Rows<float> table, positions;
  Rows<T> y;
  std::int64_t rows = 0;
  float scale = 1.0F;
  std::int32_t padding_id = -1;
  Dropout dropout{};
};

template <class T>
__global__ void __launch_bounds__(kThreads) embed_kernel(Lookup<T> lookup) {
  const Place at = place_of_warp(lookup.rows, lookup.y.cols);
  if (!at.there) {
    return;
  }
  float v[kPack] = {};
  const std::int32_t id = lookup.ids[at.row];
  if (id != lookup.padding_id) {
    lookup.table.load(id, at.channel, v);
#pragma unroll
    for (int i = 0; i < kPack; ++i) {
      v[i] *= lookup.scale;
    }
  }
  if (lookup.positions.there()) {
    float p[kPack];
    lookup.positions.load(lookup.position_ids[at.row], at.channel, p);
#pragma unroll
    for (int i = 0; i < kPack; ++i) {
      v[i] += p[i];
    }
  }
  if (lookup.dropout.threshold != 0) {
    drop(lookup.dropout, lookup.row_keys[at.row], at.first, at.lane, v);
  }
  lookup.y.store(at.row, at.channel, v);
}

// gradient[id] += factor · Σ dropout(dy) over the rows of the id, for ids other than `skipped`.
template <class T>
struct Segments {
  const std::int32_t* ids = nullptr;   // sorted
  const std::int32_t* rows = nullptr;  // the row of each
  std::int64_t count = 0;
  Rows<T> dy;
  Rows<float> gradient;
  float factor = 1.0F;
  std::int32_t skipped = -1;
  const std::uint64_t* row_keys = nullptr;
  Dropout dropout{};
};

constexpr int kFew = kLanes;  // rows of an id that a warp adds up

// sums += dropout(dy) of a row's channels first + 8 · lane …
template <class T>
__device__ void add_row(const Segments<T>& s, std::int32_t row, std::int64_t first, int lane,
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
template <class T>
__global__ void __launch_bounds__(kThreads) few_rows_kernel(Segments<T> s) {
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
template <class T>
__global__ void __launch_bounds__(kThreads) many_rows_kernel(Segments<T> s) {
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
    s.gradient.row(id)[column] += s.factor * total;
  }
}

void embed(const EmbedArgs& args, Exec& exec) {
  check<NotImplemented>(!args.packed, "embed: the cuda backend reads no packed tables");
  if (args.y.rows * args.y.cols == 0) {
    return;
  }
  with_forward_type(args.y.dtype, "embed", [&](auto t) {
    using T = decltype(t);
    const Lookup<T> lookup{args.ids,
                           args.position_ids,
                           args.row_keys,
                           rows_of<float>(args.table),
                           args.positions ? rows_of<float>(args.positions) : Rows<float>{},
                           rows_of<T>(args.y),
                           args.y.rows,
                           args.scale,
                           args.padding_id,
                           args.dropout};
    embed_kernel<<<blocks_of_packs(args.y), kThreads, 0, stream_of(exec)>>>(lookup);
  });
  check_launch("embed");
}

template <class T>
void add_segments(const EmbedArgs& forward, const std::int32_t* ids, const View& gradient,
                  float factor, std::int32_t skipped, Exec& exec) {
  const SortedIds sorted = sort_ids(ids, forward.y.rows, gradient.rows, exec_of(exec));
  const Segments<T> segments{
      sorted.ids, sorted.rows, forward.y.rows,   rows_of<T>(forward.y), rows_of<float>(gradient),
      factor,     skipped,     forward.row_keys, forward.dropout};
  const unsigned chunks = blocks_for(forward.y.cols, kChunk);
  few_rows_kernel<<<dim3(blocks_for(forward.y.rows, kWarps), chunks), kThreads, 0,
                    stream_of(exec)>>>(segments);
  many_rows_kernel<<<dim3(blocks_for(forward.y.rows, kFew), chunks), kThreads, 0,
                     stream_of(exec)>>>(segments);
  check_launch("embed_backward");
}

void embed_backward(const EmbedBackwardArgs& args, Exec& exec) {
  const EmbedArgs& forward = args.forward;
  if (forward.y.rows * forward.y.cols == 0) {
    return;
  }
  with_type(forward.y.dtype, "embed_backward", [&](auto t) {
    using T = decltype(t);
    if (args.table_gradient) {
      add_segments<T>(forward, forward.ids, args.table_gradient, forward.scale, forward.padding_id,
                      exec);
    }
    if (args.position_gradient) {
      add_segments<T>(forward, forward.position_ids, args.position_gradient, 1.0F, -1, exec);
    }
  });
}

const Registration registration([](Kernels& table) {
  table.embed = embed;
  table.embed_backward = embed_backward;
});

}  // namespace
}  // namespace yona::cuda
