// Sums over the rows of dq and dv, which are the gradients of the biases behind q and v, without
// adding up rows: with u_j = Σ_i ds_ij and w_i = Σ_j m_ij p_ij (attention/general_backward.cuh)
//   Σ_i dq_i = scale Σ_j u_j k_j;   Σ_j dv_j = Σ_i w_i dout_i
// and Σ_j dk_j = 0. A warp has u of its keys, or w of its queries, beside those rows in shared
// memory. Each block leaves a row of partial sums, which column_sums.h adds. (Short sentences,
// whose rows of dq and dv are all in one block, add them up instead: attention/short_sums.cuh.)
#pragma once

#include "yona/backend/cuda/attention/mma.cuh"

namespace yona::cuda {

// A row for each sentence or, where there are some whose rows several blocks share, for each 64
// rows of it: of its keys for dq, of its queries for dv.
constexpr int kSummedRows = 64;
struct GradientPartials {
  float *dq = nullptr, *dv = nullptr;  // [slices, h·D], each optional
  bool spread = false;                 // there are sentences of several slices

  static std::int64_t slices(std::int64_t sentences, std::int64_t rows, bool spread) {
    return spread ? sentences + rows / kSummedRows : sentences;
  }
  // The row for rows 64 · tile … of a sentence that begins at row `first` of the batch; nothing
  // where there are no partials. A sentence has as many as it needs, or one more, which no warp
  // writes.
  __device__ float* row(float* partials, std::int64_t sentence, std::int64_t first, int tile,
                        int cols) const {
    const std::int64_t slice = spread ? sentence + first / kSummedRows + tile : sentence;
    return partials == nullptr ? nullptr : partials + slice * cols;
  }
};

// sums[half] += the tile's row lane/4 + 8·half, of which this lane has its share.
__device__ inline void add_row_shares(const float (&tile)[kScoreTiles][4], float (&sums)[2]) {
#pragma unroll
  for (int t = 0; t < kScoreTiles; ++t) {
    sums[0] += tile[t][0] + tile[t][1];
    sums[1] += tile[t][2] + tile[t][3];
  }
}

// Of a warp's sum over its rows, a lane has D/32 columns from lane · D/32 on.
template <int D>
using LaneSums = float[D / kLanes];

// factor · Σ_r weights_r · rows_r over the `count` of 16 rows that are there, with shares of their
// weights as add_row_shares left them.
template <int D>
__device__ void weigh_rows(const bf16* rows, const float (&shares)[2], int count, float factor,
                           LaneSums<D>& sums) {
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const float weights[2] = {row_sum(shares[0]) * factor, row_sum(shares[1]) * factor};
  const bf16* columns = rows + lane * (D / kLanes);
#pragma unroll
  for (int r = 0; r < kOwnRows; ++r) {
    const float weight = __shfl_sync(0xFFFFFFFFU, weights[r / 8], r % 8 * 4);
    if (r >= count) {
      continue;
    }
    const bf16* row = columns + r * MmaHead<D>::kStride;
    if constexpr (D == 2 * kLanes) {
      const auto pair = *reinterpret_cast<const std::uint32_t*>(row);
      sums[0] += weight * __uint_as_float(pair << 16U);
      sums[1] += weight * __uint_as_float(pair & 0xFFFF0000U);
    } else {
      sums[0] += weight * to_float(*row);
    }
  }
}

// The sums of the block's warps, kWarpsOfHead to a head, added in order: the columns of the block's
// heads in `row`. `parts` is memory for [warps, D]. The whole block takes part.
template <int D, int kBlockWarps, int kWarpsOfHead>
__device__ void leave_sums(const LaneSums<D>& sums, float* parts, int first_head, int heads,
                           float* row) {
  const int thread = static_cast<int>(threadIdx.x);
#pragma unroll
  for (int i = 0; i < D / kLanes; ++i) {
    parts[thread * (D / kLanes) + i] = sums[i];
  }
  __syncthreads();
  constexpr int kColumns = kBlockWarps / kWarpsOfHead * D;
  static_assert(kColumns <= kBlockWarps * kLanes);
  if (thread < kColumns && first_head + thread / D < heads) {
    const float* mine = parts + thread / D * kWarpsOfHead * D + thread % D;
    float total = 0.0F;
#pragma unroll
    for (int warp = 0; warp < kWarpsOfHead; ++warp) {
      total += mine[warp * D];
    }
    row[first_head * D + thread] = total;
  }
}

}  // namespace yona::cuda
