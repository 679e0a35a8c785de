// The gradients of residual + dropout + layer norm for bf16 rows of 256, 512 and 1,024 channels,
// whole packs. Registers leave room for few warps, too few for memory: so the rows of each come
// through a ring (row_ring.cuh), the rows behind it on their way while it works on one, and their
// keys and statistics a row ahead. Dropout is decided before the row is waited for.
//
// µs on an H200, dropout and sums included, beside a kernel whose warps read their rows themselves
// (at 1,024 channels a row ahead, into registers):
//
//                                     512 channels            1,024 channels
//   rows                        1,024  4,096  25,000      1,024  4,096  25,000
//   without ds   rings            4.7    9.5    34.6        7.0   15.0    61.1
//                themselves       5.8   10.9    37.1        8.2   18.7    76.3
//   with ds      rings            5.1   10.7    41.6        7.6   16.8    78.3
//                themselves       6.7   12.6    44.8        8.8   20.2    81.7
//   behind a product of that depth: 56.3 and 64.1 for both (512), 133 and 152 to 185 (1,024)
//
// At 1,024 rows no warp has more than one: fewer are no other case. Last rows first, as in forward,
// gains nothing here (57.6 behind the product); nor do bulk copies with barriers (58.5), three
// blocks of a multiprocessor for 512 channels (73.8: registers run out) or twelve warps of a block
// for 1,024 (136.8).
#pragma once

#include "yona/backend/cuda/early_launch.cuh"
#include "yona/backend/cuda/residual_norm_backward.cuh"
#include "yona/backend/cuda/row_ring.cuh"

namespace yona::cuda {

template <int kChunks>
struct NormRing {
  static constexpr int kBlocks = kChunks == 1 ? 3 : kChunks == 2 ? 2 : 1;  // of a multiprocessor
  static constexpr int kStages = kChunks <= 2 ? 3 : 2;
  static constexpr std::int64_t kMostBlocks = kMostNormBlocks / 3 * kBlocks;
  template <bool kDs>
  using Ring = RowRing<kChunks, kDs ? 3 : 2, kStages>;
};

// The sums of the block's warps, in order, as its row of `partials`; nothing without one. What was
// in `memory` is lost.
template <int kChunks>
__device__ void leave_sums(unsigned char* memory, const float (&sums)[kChunks][kPack],
                           float* partials) {
  if (partials == nullptr) {
    return;
  }
  constexpr int kChannels = kChunks * kChunk;
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
  for (int place = static_cast<int>(threadIdx.x); place < kChannels; place += kThreads) {
    float total = 0.0F;
#pragma unroll
    for (int w = 0; w < kWarps; ++w) {
      total += reinterpret_cast<const float*>(parts)[w * kChannels + place];
    }
    const int half = place % kChunk / (4 * kLanes);
    const int channel = place / kChunk * kChunk + place / 4 % kLanes * kPack + half * 4 + place % 4;
    partials[static_cast<std::int64_t>(blockIdx.x) * kChannels + channel] = total;
  }
}

template <int kChunks, bool kDs, bool kSums>
__global__ void __launch_bounds__(kThreads, NormRing<kChunks>::kBlocks)
    norm_backward_ring_kernel(const __grid_constant__ NormBackward<bf16> n) {
  using Ring = typename NormRing<kChunks>::template Ring<kDs>;
  constexpr int kStages = NormRing<kChunks>::kStages;
  constexpr auto kChannels = static_cast<float>(kChunks * kChunk);
  extern __shared__ __align__(16) unsigned char memory[];
  wait_for_the_one_in_front();
  Ring ring(memory);
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * kWarps;
  const std::int64_t first_row =
      static_cast<std::int64_t>(blockIdx.x) * kWarps + static_cast<int>(threadIdx.x) / kLanes;
  Rows<bf16> from[kDs ? 3 : 2];
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
  float dweight[kChunks][kPack] = {};
  float dbias[kChunks][kPack] = {};
  float dr_sums[kSums ? kChunks : 1][kPack] = {};
  for (std::int64_t row = first_row; row < n.rows; row += step) {
    const float mean = next_mean;
    const float rstd = next_rstd;
    const std::uint64_t key = next_key;
    look_ahead(row + step);
    std::uint32_t kept[kChunks];
    if (drops) {
#pragma unroll
      for (int k = 0; k < kChunks; ++k) {
        kept[k] = kept_channels(n.dropout, key, k * kChunk, lane);
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
      load_pack<true>(n.weight, 0, k * kChunk + lane * kPack, weight);
#pragma unroll
      for (int i = 0; i < kPack; ++i) {
        normal[k][i] = (normal[k][i] - mean) * rstd;
        dweight[k][i] += g[k][i] * normal[k][i];
        dbias[k][i] += g[k][i];
        g[k][i] *= weight[i];
        sum_g += g[k][i];
        sum_gx += g[k][i] * normal[k][i];
      }
    }
    const float mean_g = warp_sum(sum_g) / kChannels;
    const float mean_gx = warp_sum(sum_gx) / kChannels;
#pragma unroll
    for (int k = 0; k < kChunks; ++k) {
      const std::int64_t channel = k * kChunk + lane * kPack;
      float total[kPack];
#pragma unroll
      for (int i = 0; i < kPack; ++i) {
        total[i] = rstd * (g[k][i] - mean_g - normal[k][i] * mean_gx);
      }
      if constexpr (kDs) {
        float ds[kPack];
        ring.read(2, k, ds);
#pragma unroll
        for (int i = 0; i < kPack; ++i) {
          total[i] += ds[i];
        }
      }
      float dr[kPack];
#pragma unroll
      for (int i = 0; i < kPack; ++i) {
        dr[i] = total[i];
      }
      if (n.dx.there()) {
        put<true>(n.dx, row, channel, total, n.accumulate_dx);
      }
      if (n.dr.there()) {  // after dx, which may be the same memory
        if (drops) {
          drop(n.dropout, kept[k], dr);
        }
        if constexpr (kSums) {
#pragma unroll
          for (int i = 0; i < kPack; ++i) {
            dr_sums[k][i] += dr[i];
          }
        }
        put<true>(n.dr, row, channel, dr, n.accumulate_dr);
      }
    }
    if (row + kStages * step < n.rows) {
      ring.fetch(from, row + kStages * step);
    }
    ring.advance();
  }
  leave_sums(memory, dweight, n.dweight);
  leave_sums(memory, dbias, n.dbias);
  if constexpr (kSums) {
    leave_sums(memory, dr_sums, n.dr_sums);
  }
}

}  // namespace yona::cuda
