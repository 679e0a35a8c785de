// Sums over the rows of dq and dv of short sentences, the gradients of the biases behind q and v:
// added up in registers where the rows are made, before they are rounded. Each head leaves its
// columns of its sentence's row of partial sums (attention/partial_sums.cuh).
#pragma once

#include "yona/backend/cuda/attention/partial_sums.cuh"
#include "yona/backend/cuda/attention/short.cuh"

namespace yona::cuda {

// Sums over rows, of which a lane has D/4 columns: those of pieces c and c + 4 (or of piece c).
template <int D>
using ColumnShares = float[D / 4];

template <int D, int kM>
__device__ void add_shares(const ShortSums<D> (&sums)[kM], ColumnShares<D>& shares) {
#pragma unroll
  for (int m = 0; m < kM; ++m) {
#pragma unroll
    for (int t = 0; t < D / 8; ++t) {
      shares[t] += sums[m][t][0] + sums[m][t][2];
      shares[D / 8 + t] += sums[m][t][1] + sums[m][t][3];
    }
  }
}

// factor · the sums of a head's warps, added in order, into its columns of `row`, the sentence's
// row of partial sums; nothing where the head is not there. `rows` are the warp's own 32 of a tile
// that is not needed any more, behind which are the next warp's. The whole block takes part.
template <int D, int R, int H>
__device__ void leave_shares(const ShortPlace<R, H>& place, bool there, const ShortLane& at,
                             const ColumnShares<D>& shares, float factor, bf16* rows, float* row) {
  constexpr int kPiece = D / 8;
  constexpr int kStride = D + 4;
  constexpr int kEach = D / kLanes;  // columns of a lane in the end, from lane · kEach on
  auto* parts = reinterpret_cast<float*>(rows);  // [8, kStride]: a row for each r
  __syncwarp();
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const int piece = D == 64 ? at.column + 4 * i : 2 * at.column + i;
#pragma unroll
    for (int t = 0; t < kPiece; t += 4) {
      const float* from = shares + i * kPiece + t;
      *reinterpret_cast<float4*>(parts + at.row * kStride + piece * kPiece + t) =
          make_float4(from[0], from[1], from[2], from[3]);
    }
  }
  __syncwarp();
  float sums[kEach];
#pragma unroll
  for (int i = 0; i < kEach; ++i) {
    float total = 0.0F;
#pragma unroll
    for (int r = 0; r < 8; ++r) {
      total += parts[r * kStride + at.lane * kEach + i];
    }
    sums[i] = total * factor;
  }
  if constexpr (R > kShortRows) {
    static_assert(R == 2 * kShortRows);
    float* totals = parts + 8 * kStride + at.lane * kEach;
    if (place.part == 1) {
#pragma unroll
      for (int i = 0; i < kEach; ++i) {
        totals[i] = sums[i];
      }
    }
    __syncthreads();
    if (place.part == 0) {
      const float* others = totals + kShortTile * sizeof(bf16) / sizeof(float);
#pragma unroll
      for (int i = 0; i < kEach; ++i) {
        sums[i] += others[i];
      }
    }
  }
  if (there && place.part == 0) {
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
      row[place.head * D + at.lane * kEach + i] = sums[i];
    }
  }
}

}  // namespace yona::cuda
