// s = x + dropout(r) and layer normalisation of s: a warp takes a row and keeps it in registers.
//
// Training's many rows of 512 or 1,024 bf16 come from the previous product and go to the one
// behind, more of them than the L2 cache holds. So the rows that the product wrote last are taken
// first, and x, r and s, which backward alone wants, leave the cache before y.
// bench/notes/h200.md has the times with and without.

#include "yona/backend/cuda/common/dependent_launch.cuh"
#include "yona/backend/cuda/common/dropout.cuh"
#include "yona/backend/cuda/norm/evict_first.cuh"
#include "yona/backend/cuda/norm/width.cuh"
#include "yona/backend/cuda/runtime/registration.h"

namespace yona::cuda {

namespace {

template <class T>
struct Norm {
  Rows<T> x, r, s, y;
  Rows<float> weight, bias, statistics;
  std::int64_t rows = 0;
  float epsilon = 0.0F;
  const std::uint64_t* row_keys = nullptr;
  Dropout dropout{};
};

// kMany: whole rows, the last first, launched with PDL.
template <class T, int kChunks, bool kExact, bool kMany>
__global__ void __launch_bounds__(kThreads) residual_norm_kernel(Norm<T> n) {
  if constexpr (kMany) {
    wait_for_previous_grid();
  }
  const std::int64_t index =
      static_cast<std::int64_t>(blockIdx.x) * kWarps + static_cast<int>(threadIdx.x) / kLanes;
  if (index >= n.rows) {
    return;
  }
  const std::int64_t row = kMany ? n.rows - 1 - index : index;
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const std::int64_t d = n.x.cols;
  const std::uint64_t key = n.dropout.threshold != 0 ? n.row_keys[row] : 0;
  // The rows of large models are read before anything is written: all of it is then on its way.
  constexpr int kAhead = kExact ? kChunks : 1;
  Raw<T> ahead_x[kAhead];
  Raw<T> ahead_r[kAhead];
  const auto read_pack = [&](const Rows<T>& from, std::int64_t channel) {
    if constexpr (kMany) {
      return read_evict_first(from, row, channel);
    } else {
      return read_raw<kExact>(from, row, channel);
    }
  };
  const auto read = [&](int k) {
    const std::int64_t channel = k * kChunk + lane * kPack;
    ahead_x[k % kAhead] = read_pack(n.x, channel);
    if (n.r.there()) {
      ahead_r[k % kAhead] = read_pack(n.r, channel);
    }
  };
  if constexpr (kExact) {
#pragma unroll
    for (int k = 0; k < kChunks; ++k) {
      read(k);
    }
  }
  float s[kChunks][kPack];
  float sum = 0.0F;
#pragma unroll
  for (int k = 0; k < kChunks; ++k) {
    const std::int64_t channel = k * kChunk + lane * kPack;
    if constexpr (!kExact) {
      read(k);
    }
    unpack(ahead_x[k % kAhead], s[k]);
    if (n.r.there()) {
      float r[kPack];
      unpack(ahead_r[k % kAhead], r);
      if (n.dropout.threshold != 0) {
        drop(n.dropout, key, k * kChunk, lane, r);
      }
#pragma unroll
      for (int i = 0; i < kPack; ++i) {
        s[k][i] = rounded<T>(s[k][i] + r[i]);
      }
      if constexpr (kMany) {
        store_evict_first(n.s, row, channel, s[k]);
      } else {
        store_pack<kExact>(n.s, row, channel, s[k]);
      }
    }
#pragma unroll
    for (int i = 0; i < kPack; ++i) {
      sum += s[k][i];  // zero beyond the row
    }
  }
  const float mean = warp_sum(sum) / static_cast<float>(d);
  float squares = 0.0F;
#pragma unroll
  for (int k = 0; k < kChunks; ++k) {
#pragma unroll
    for (int i = 0; i < kPack; ++i) {
      const bool inside = kExact || k * kChunk + lane * kPack + i < d;
      squares += inside ? (s[k][i] - mean) * (s[k][i] - mean) : 0.0F;
    }
  }
  const float rstd = rsqrtf(warp_sum(squares) / static_cast<float>(d) + n.epsilon);
#pragma unroll
  for (int k = 0; k < kChunks; ++k) {
    const std::int64_t channel = k * kChunk + lane * kPack;
    float weight[kPack];
    float bias[kPack];
    load_pack<kExact>(n.weight, 0, channel, weight);
    load_pack<kExact>(n.bias, 0, channel, bias);
#pragma unroll
    for (int i = 0; i < kPack; ++i) {
      s[k][i] = (s[k][i] - mean) * rstd * weight[i] + bias[i];
    }
    store_pack<kExact>(n.y, row, channel, s[k]);
  }
  if (lane == 0) {
    n.statistics.row(row)[0] = mean;
    n.statistics.row(row)[1] = rstd;
  }
}

void residual_norm(const ResidualNormArgs& args, Exec& exec) {
  if (args.x.rows * args.x.cols == 0) {
    return;
  }
  with_forward_type(args.x.dtype, "residual_norm", [&](auto t) {
    using T = decltype(t);
    const Norm<T> norm{rows_of<T>(args.x),
                       args.r ? rows_of<T>(args.r) : Rows<T>{},
                       args.r ? rows_of<T>(args.s) : Rows<T>{},
                       rows_of<T>(args.y),
                       rows_of<float>(args.weight),
                       rows_of<float>(args.bias),
                       rows_of<float>(args.statistics),
                       args.x.rows,
                       args.epsilon,
                       args.row_keys,
                       args.dropout};
    const bool aligned = whole_packs(norm.x, norm.r, norm.s, norm.y, norm.weight, norm.bias);
    with_chunks<T>(args.x.cols, aligned, "residual_norm", [&](auto chunks, auto whole) {
      constexpr int kChunks = decltype(chunks)::value;
      constexpr bool kExact = decltype(whole)::value;
      const unsigned blocks = blocks_for(args.x.rows, kWarps);
      if constexpr (kExact) {
        if (args.x.rows >= kManyRows) {
          launch_dependent(residual_norm_kernel<T, kChunks, kExact, true>, {blocks, kThreads},
                           stream_of(exec), "residual_norm", norm);
          return;
        }
      }
      residual_norm_kernel<T, kChunks, kExact, false>
          <<<blocks, kThreads, 0, stream_of(exec)>>>(norm);
    });
  });
  check_launch("residual_norm");
}

const Registration registration([](Kernels& table) { table.residual_norm = residual_norm; });

}  // namespace
}  // namespace yona::cuda
