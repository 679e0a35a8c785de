// The gradients of residual + dropout + layer norm for rows of up to 2,048 channels in whole packs;
// two warps share rows of more than 1,024. Registers allow few warps, too few to hide memory
// latency: so rows come through a ring (norm/row_ring.cuh), copied ahead while the warp works on
// one, and their keys and statistics a row ahead. Dropout is computed before the row is waited for.
//
// Widths that the compiler knows (bf16 256, 512, 768, 1,024 and 2,048; f32 512) take 2 to 26 % less
// time than the ring for any width up to that. At 1,024 rows no warp has more than one.
#pragma once

#include "yona/backend/cuda/common/dependent_launch.cuh"
#include "yona/backend/cuda/norm/residual_backward.cuh"
#include "yona/backend/cuda/norm/row_ring.cuh"

namespace yona::cuda {

// How rows of kParts warps, of kChunks · 256 channels each or, not kExact, of up to so many are
// taken. kDs: with the gradient of another path; not kExact, it may be there.
template <class Type, int kRowChunks, int kRowParts, bool kExactRows, bool kWithDs>
struct NormRing {
  using T = Type;
  static constexpr int kChunks = kRowChunks, kParts = kRowParts;
  static constexpr bool kExact = kExactRows, kDs = kWithDs;
  static constexpr bool kF32 = !std::is_same_v<T, bf16>;
  static constexpr int kBlockWarps = kF32 && kChunks == 2 && !kExact ? 12 : 8;
  static constexpr int kBlocks =  // of a multiprocessor
      kChunks > 2 || kBlockWarps > 8 ? 1
      : kChunks == 2 || kF32         ? 2
                                     : 3;
  static constexpr int kStages = !kF32 && kChunks <= (kExact ? 2 : 3) ? 3 : 2;
  static constexpr std::int64_t kMostBlocks = kMostNormBlocks / 3 * kBlocks;  // run at once
};

template <class Shape>
using NormRingOf = RowRing<Shape, Shape::kDs ? 3 : 2>;

// The sums of the block's warps, in order, as its row of `partials`; nothing without one. What was
// in `memory` is lost.
template <class Shape>
__device__ void leave_sums(unsigned char* memory, const float (&sums)[Shape::kChunks][kPack],
                           int cols, float* partials) {
  if (partials == nullptr) {
    return;
  }
  constexpr int kChunks = Shape::kChunks;
  constexpr int kChannels = kChunks * kChunk;       // of a warp
  auto* parts = reinterpret_cast<float4*>(memory);  // [warps, chunks, 2, lanes]
  const int warp = static_cast<int>(threadIdx.x) / kLanes;
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  __syncthreads();
#pragma unroll
  for (int k = 0; k < kChunks; ++k) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const float* four = sums[k] + 4 * half;
      parts[((warp * kChunks + k) * 2 + half) * kLanes + lane] =
          make_float4(four[0], four[1], four[2], four[3]);
    }
  }
  __syncthreads();
  for (int place = static_cast<int>(threadIdx.x); place < Shape::kParts * kChannels;
       place += Shape::kBlockWarps * kLanes) {
    const int part = place / kChannels;
    const int of_warp = place % kChannels;
    float total = 0.0F;
#pragma unroll
    for (int w = part; w < Shape::kBlockWarps; w += Shape::kParts) {
      total += reinterpret_cast<const float*>(parts)[w * kChannels + of_warp];
    }
    const int half = of_warp % kChunk / (4 * kLanes);
    const int channel =
        part * kChannels + of_warp % 4 +
        LanePack<typename Shape::T>::half_channel(of_warp / kChunk, half, of_warp / 4 % kLanes);
    if (Shape::kExact || channel < cols) {
      partials[static_cast<std::int64_t>(blockIdx.x) * cols + channel] = total;
    }
  }
}

// The sums of a row's parts, of which a warp has (a, b): all of them in both.
template <class Shape>
__device__ void add_parts(float& a, float& b, int& turn) {
  a = warp_sum(a);
  b = warp_sum(b);
  if constexpr (Shape::kParts == 2) {
    __shared__ float2 sums[2][Shape::kBlockWarps];
    const int warp = static_cast<int>(threadIdx.x) / kLanes;
    if (threadIdx.x % kLanes == 0) {
      sums[turn][warp] = make_float2(a, b);
    }
    // The two warps of the row alone; who is a row ahead writes the other one's place.
    asm volatile("bar.sync %0, %1;" ::"r"(warp / 2 + 1), "n"(2 * kLanes) : "memory");
    const float2 first = sums[turn][warp / 2 * 2];
    const float2 second = sums[turn][warp / 2 * 2 + 1];
    a = first.x + second.x;
    b = first.y + second.y;
    turn ^= 1;
  }
}

template <class Shape>
__global__ void __launch_bounds__(Shape::kBlockWarps* kLanes, Shape::kBlocks)
    norm_backward_ring_kernel(const __grid_constant__ NormBackward<typename Shape::T> n) {
  using T = typename Shape::T;
  constexpr int kChunks = Shape::kChunks;
  constexpr int kStages = Shape::kStages;
  constexpr bool kDs = Shape::kDs;
  extern __shared__ __align__(16) unsigned char memory[];
  wait_for_previous_grid();
  constexpr int kParts = Shape::kParts;
  const int warp = static_cast<int>(threadIdx.x) / kLanes;
  const int cols = Shape::kExact ? kParts * kChunks * kChunk : static_cast<int>(n.dy.cols);
  const int first = warp % kParts * kChunks * kChunk;
  NormRingOf<Shape> ring(memory, first, cols - first);
  const LaneChannels<T, Shape::kExact> channels{first, cols - first};
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * (Shape::kBlockWarps / kParts);
  const std::int64_t first_row =
      (static_cast<std::int64_t>(blockIdx.x) * Shape::kBlockWarps + warp) / kParts;
  Rows<T> from[kDs ? 3 : 2];
  from[0] = n.s;
  from[1] = n.dy;
  if constexpr (kDs) {
    from[2] = n.ds;
  }
#pragma unroll
  for (int stage = 0; stage < kStages; ++stage) {
    if (first_row + stage * step < n.rows) {
      ring.fetch(from, first_row + stage * step, stage);
    }
  }
  const bool drops = n.dropout.threshold != 0 && n.dr.there();
  std::uint64_t next_key = 0;
  float next_mean = 0.0F;
  float next_rstd = 0.0F;
  const auto look_ahead = [&](std::int64_t row) {
    if (row < n.rows) {
      next_key = drops ? n.row_keys[row] : 0;
      next_mean = n.statistics.row(row)[0];
      next_rstd = n.statistics.row(row)[1];
    }
  };
  look_ahead(first_row);
  int turn = 0;
  const float share = 1.0F / static_cast<float>(cols);
  float dweight[kChunks][kPack] = {};
  float dbias[kChunks][kPack] = {};
  float dr_sums[kChunks][kPack] = {};
  for (std::int64_t row = first_row; row < n.rows; row += step) {
    const float mean = next_mean;
    const float rstd = next_rstd;
    const std::uint64_t key = next_key;
    look_ahead(row + step);
    std::uint32_t kept[kChunks];
    if (drops) {
#pragma unroll
      for (int k = 0; k < kChunks; ++k) {
        kept[k] =
            kept_channels<LanePack<T>::kPieces>(n.dropout, key, first + k * kChunk, channels.lane);
      }
    }
    ring.wait(row + (kStages - 1) * step < n.rows);
    float normal[kChunks][kPack];  // x̂
    float g[kChunks][kPack];       // dy ∘ weight
    float sum_g = 0.0F;
    float sum_gx = 0.0F;
#pragma unroll
    for (int k = 0; k < kChunks; ++k) {
      float weight[kPack];
      ring.read(0, k, normal[k]);
      ring.read(1, k, g[k]);
      channels.load(n.weight, k, weight);
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
    add_parts<Shape>(sum_g, sum_gx, turn);
    const float mean_g = sum_g * share;
    const float mean_gx = sum_gx * share;
#pragma unroll
    for (int k = 0; k < kChunks; ++k) {
      float total[kPack];
#pragma unroll
      for (int i = 0; i < kPack; ++i) {
        total[i] = rstd * (g[k][i] - mean_g - normal[k][i] * mean_gx);
      }
      if constexpr (kDs) {
        if (Shape::kExact || n.ds.there()) {
          float ds[kPack];
          ring.read(2, k, ds);
#pragma unroll
          for (int i = 0; i < kPack; ++i) {
            total[i] += ds[i];
          }
        }
      }
      float dr[kPack];
#pragma unroll
      for (int i = 0; i < kPack; ++i) {
        dr[i] = total[i];
      }
      if (n.dx.there()) {
        channels.put(n.dx, row, k, total, n.accumulate_dx);
      }
      if (n.dr.there()) {  // after dx, which may be the same memory
        if (drops) {
          drop(n.dropout, kept[k], dr);
        }
#pragma unroll
        for (int i = 0; i < kPack; ++i) {
          dr_sums[k][i] += dr[i];
        }
        channels.put(n.dr, row, k, dr, n.accumulate_dr);
      }
    }
    if (row + kStages * step < n.rows) {
      ring.fetch(from, row + kStages * step);
    }
    ring.advance();
  }
  leave_sums<Shape>(memory, dweight, cols, n.dweight);
  leave_sums<Shape>(memory, dbias, cols, n.dbias);
  leave_sums<Shape>(memory, dr_sums, cols, n.dr_sums);
}

}  // namespace yona::cuda
