// The gradients of residual + dropout + layer norm. A warp takes every (grid · 8)th row, keeps the
// row in registers, and adds up its share of the weight's and bias' gradients as it goes, and of dr
// where that is asked for; blocks then leave one row of partial sums each, which are added in a
// fixed order.
//
// Rows of 1,024 channels leave room for one block on a multiprocessor: there each warp reads its
// next row while it works on one (2.8 ms of a big step on an H200 instead of 3.2). For 512 channels
// three blocks without that are faster.

#include <algorithm>

#include "yona/backend/cuda/column_sums.h"
#include "yona/backend/cuda/dropout.cuh"
#include "yona/backend/cuda/norm_backward.cuh"
#include "yona/backend/cuda/registration.h"

namespace yona::cuda {

namespace {

template <class T>
struct NormBackward {
  Rows<T> s, dy, ds, dx, dr;
  Rows<float> weight, statistics;
  std::int64_t rows = 0;
  const std::uint64_t* row_keys = nullptr;
  Dropout dropout{};
  bool accumulate_dx = false, accumulate_dr = false;
  float* dweight = nullptr;  // [blocks, d] partial sums, each optional
  float* dbias = nullptr;
  float* dr_sums = nullptr;
};

// What comes of d/ds of chunk k of a row: dx and dr.
template <bool kWhole, class T, class Sums>
__device__ void put_chunk(const NormBackward<T>& n, std::int64_t row, int k, float (&total)[kPack],
                          Sums& sums) {
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const std::int64_t channel = k * kChunk + lane * kPack;
  float dr[kPack];
#pragma unroll
  for (int i = 0; i < kPack; ++i) {
    dr[i] = total[i];
  }
  if (n.dx.there()) {
    put<kWhole>(n.dx, row, channel, total, n.accumulate_dx);
  }
  if (n.dr.there()) {  // after dx, which may be the same memory
    if (n.dropout.threshold != 0) {
      drop(n.dropout, n.row_keys[row], k * kChunk, lane, dr);
    }
    sums.add(k, dr);
    put<kWhole>(n.dr, row, channel, dr, n.accumulate_dr);
  }
}

template <class T, int kChunks>
__device__ void leave_partials(const NormBackward<T>& n, const float (&dweight)[kChunks][kPack],
                               const float (&dbias)[kChunks][kPack]) {
  const std::int64_t d = n.dy.cols;
#pragma unroll
  for (int k = 0; k < kChunks; ++k) {
    if (k * kChunk < d) {
      if (n.dweight != nullptr) {
        write_partials(dweight[k], k, d, n.dweight);
      }
      if (n.dbias != nullptr) {
        write_partials(dbias[k], k, d, n.dbias);
      }
    }
  }
}

template <class T, int kChunks, bool kWhole, class Sums>
__global__ void __launch_bounds__(kThreads, kChunks <= 2 ? 3 : 1)
    residual_norm_backward_kernel(NormBackward<T> n) {
  __shared__ Sums dr_sums;
  dr_sums.clear();
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const std::int64_t d = n.dy.cols;
  const std::int64_t first_row =
      static_cast<std::int64_t>(blockIdx.x) * kWarps + static_cast<int>(threadIdx.x) / kLanes;
  float dweight[kChunks][kPack] = {};
  float dbias[kChunks][kPack] = {};
  for (std::int64_t row = first_row; row < n.rows; row += gridDim.x * kWarps) {
    const float mean = n.statistics.row(row)[0];
    const float rstd = n.statistics.row(row)[1];
    float normal[kChunks][kPack];  // x̂
    float g[kChunks][kPack];       // dy ∘ weight
    float sum_g = 0.0F;
    float sum_gx = 0.0F;
#pragma unroll
    for (int k = 0; k < kChunks; ++k) {
      const std::int64_t channel = k * kChunk + lane * kPack;
      float weight[kPack];
      load_pack<kWhole>(n.s, row, channel, normal[k]);
      load_pack<kWhole>(n.dy, row, channel, g[k]);
      load_pack<kWhole>(n.weight, 0, channel, weight);
#pragma unroll
      for (int i = 0; i < kPack; ++i) {
        normal[k][i] = (normal[k][i] - mean) * rstd;
        dweight[k][i] += g[k][i] * normal[k][i];  // dy is zero beyond the row
        dbias[k][i] += g[k][i];
        g[k][i] *= weight[i];
        sum_g += g[k][i];
        sum_gx += g[k][i] * normal[k][i];
      }
    }
    const float mean_g = warp_sum(sum_g) / static_cast<float>(d);
    const float mean_gx = warp_sum(sum_gx) / static_cast<float>(d);
#pragma unroll
    for (int k = 0; k < kChunks; ++k) {
      const std::int64_t channel = k * kChunk + lane * kPack;
      float total[kPack];
#pragma unroll
      for (int i = 0; i < kPack; ++i) {
        total[i] = rstd * (g[k][i] - mean_g - normal[k][i] * mean_gx);
      }
      if (n.ds.there()) {
        float ds[kPack];
        load_pack<kWhole>(n.ds, row, channel, ds);
#pragma unroll
        for (int i = 0; i < kPack; ++i) {
          total[i] += ds[i];
        }
      }
      put_chunk<kWhole>(n, row, k, total, dr_sums);
    }
  }
  leave_partials(n, dweight, dbias);
  dr_sums.leave(n.dr_sums);
}

// A row of 1,024 channels as memory has it.
constexpr int kWideChunks = 4;

struct WideRow {
  static constexpr int kChunks = kWideChunks;
  Raw<bf16> s[kChunks], dy[kChunks], ds[kChunks];
  float mean, rstd;

  static __device__ std::int64_t channel_of(int k) {
    return k * kChunk + static_cast<int>(threadIdx.x) % kLanes * kPack;
  }
  __device__ void read(const NormBackward<bf16>& n, std::int64_t row) {
    mean = n.statistics.row(row)[0];
    rstd = n.statistics.row(row)[1];
#pragma unroll
    for (int k = 0; k < kChunks; ++k) {
      s[k] = read_raw<true>(n.s, row, channel_of(k));
      dy[k] = read_raw<true>(n.dy, row, channel_of(k));
      if (n.ds.there()) {
        ds[k] = read_raw<true>(n.ds, row, channel_of(k));
      }
    }
  }
  // x̂ and dy of chunk k.
  __device__ void unpack_chunk(int k, float (&normal)[kPack], float (&g)[kPack]) const {
    unpack(s[k], normal);
    unpack(dy[k], g);
#pragma unroll
    for (float& x : normal) {
      x = (x - mean) * rstd;
    }
  }
};

template <class Sums>
__global__ void __launch_bounds__(kThreads, 1) wide_norm_backward_kernel(NormBackward<bf16> n) {
  __shared__ Sums dr_sums;
  dr_sums.clear();
  constexpr int kChunks = WideRow::kChunks;
  constexpr auto kChannels = static_cast<float>(kChunks * kChunk);
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * kWarps;
  const std::int64_t first_row =
      static_cast<std::int64_t>(blockIdx.x) * kWarps + static_cast<int>(threadIdx.x) / kLanes;
  float dweight[kChunks][kPack] = {};
  float dbias[kChunks][kPack] = {};
  WideRow next;
  if (first_row < n.rows) {
    next.read(n, first_row);
  }
  for (std::int64_t row = first_row; row < n.rows; row += step) {
    const WideRow held = next;
    if (row + step < n.rows) {
      next.read(n, row + step);
    }
    float sum_g = 0.0F;
    float sum_gx = 0.0F;
#pragma unroll
    for (int k = 0; k < kChunks; ++k) {
      float normal[kPack];  // x̂
      float g[kPack];       // dy
      float weight[kPack];
      held.unpack_chunk(k, normal, g);
      load_pack<true>(n.weight, 0, WideRow::channel_of(k), weight);
#pragma unroll
      for (int i = 0; i < kPack; ++i) {
        dweight[k][i] += g[i] * normal[i];
        dbias[k][i] += g[i];
        sum_g += g[i] * weight[i];
        sum_gx += g[i] * weight[i] * normal[i];
      }
    }
    const float mean_g = warp_sum(sum_g) / kChannels;
    const float mean_gx = warp_sum(sum_gx) / kChannels;
#pragma unroll
    for (int k = 0; k < kChunks; ++k) {
      float normal[kPack];
      float total[kPack];
      float weight[kPack];
      held.unpack_chunk(k, normal, total);
      load_pack<true>(n.weight, 0, WideRow::channel_of(k), weight);
#pragma unroll
      for (int i = 0; i < kPack; ++i) {
        total[i] = held.rstd * (total[i] * weight[i] - mean_g - normal[i] * mean_gx);
      }
      if (n.ds.there()) {
        float ds[kPack];
        unpack(held.ds[k], ds);
#pragma unroll
        for (int i = 0; i < kPack; ++i) {
          total[i] += ds[i];
        }
      }
      put_chunk<true>(n, row, k, total, dr_sums);
    }
  }
  leave_partials(n, dweight, dbias);
  dr_sums.leave(n.dr_sums);
}

// Changes `blocks`, of which each leaves partial sums, to how many there are.
template <class T, int kChunks, bool kWhole, class Sums>
void launch(const NormBackward<T>& norm, std::int64_t& blocks, cudaStream_t stream) {
  if constexpr (kWhole && kChunks == kWideChunks) {
    blocks = std::min<std::int64_t>(blocks, kMostNormBlocks / 3);  // that run at once
    wide_norm_backward_kernel<Sums><<<static_cast<unsigned>(blocks), kThreads, 0, stream>>>(norm);
  } else {
    residual_norm_backward_kernel<T, kChunks, kWhole, Sums>
        <<<static_cast<unsigned>(blocks), kThreads, 0, stream>>>(norm);
  }
}

void residual_norm_backward(const ResidualNormBackwardArgs& args, Exec& exec) {
  const ResidualNormArgs& forward = args.forward;
  const std::int64_t rows = args.dy.rows;
  const std::int64_t d = args.dy.cols;
  if (rows * d == 0) {
    return;
  }
  const cudaStream_t stream = stream_of(exec);
  std::int64_t blocks = std::min<std::int64_t>(blocks_for(rows, kWarps), kMostNormBlocks);
  PendingSums& sums = exec_of(exec).sums;
  sums.begin(3 * blocks * d, stream);
  float* dweight = args.dweight ? sums.take(blocks * d) : nullptr;
  float* dbias = args.dbias ? sums.take(blocks * d) : nullptr;
  float* dr_sums = nullptr;  // of rows that are whole; others are read again
  with_type(args.dy.dtype, "residual_norm_backward", [&](auto t) {
    using T = decltype(t);
    const auto optional = [](const View& view) { return view ? rows_of<T>(view) : Rows<T>{}; };
    NormBackward<T> norm{rows_of<T>(forward.r ? forward.s : forward.x),
                         rows_of<T>(args.dy),
                         optional(args.ds),
                         optional(args.dx),
                         optional(args.dr),
                         rows_of<float>(forward.weight),
                         rows_of<float>(forward.statistics),
                         rows,
                         forward.row_keys,
                         forward.dropout,
                         args.accumulate_dx,
                         args.accumulate_dr,
                         dweight,
                         dbias,
                         nullptr};
    const bool aligned = whole_packs(norm.s, norm.dy, norm.ds, norm.dx, norm.dr, norm.weight);
    with_chunks<T>(d, aligned, "residual_norm_backward", [&](auto chunks, auto whole) {
      constexpr int kChunks = decltype(chunks)::value;
      constexpr bool kWhole = decltype(whole)::value;
      if constexpr (kWhole) {
        if (args.dr_sums) {
          norm.dr_sums = dr_sums = sums.take(blocks * d);
          launch<T, kChunks, kWhole, SharedSums<kChunks>>(norm, blocks, stream);
          return;
        }
      }
      launch<T, kChunks, kWhole, NoSums>(norm, blocks, stream);
    });
  });
  check_launch("residual_norm_backward");
  const auto out = [](const View& view) { return view ? view.row<float>(0) : nullptr; };
  sums.add({{dweight, out(args.dweight), blocks, d},
            {dbias, out(args.dbias), blocks, d},
            {dr_sums, dr_sums != nullptr ? out(args.dr_sums) : nullptr, blocks, d}},
           stream);
  if (args.dr_sums && dr_sums == nullptr) {
    add_rows(args.dr, args.dr_sums, exec);
  }
}

const Registration registration([](Kernels& table) {
  table.residual_norm_backward = residual_norm_backward;
  table.residual_norm_backward.gradient_sums = GradientSums::yes;
});

}  // namespace
}  // namespace yona::cuda
