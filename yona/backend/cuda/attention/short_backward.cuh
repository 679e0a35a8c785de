// Attention backward over short sentences (attention/short_backward.cu): what it is given, what a
// head has in shared memory, and what is made of scores.
#pragma once

#include "yona/backend/cuda/attention/short_sums.cuh"

namespace yona::cuda {

struct ShortGradients {
  AttentionProblem<bf16> in;
  Rows<bf16> dout, dq, dk, dv;
  bool accumulate_dq = false, accumulate_dk = false, accumulate_dv = false;
  GradientPartials partials;
  float magnitude = 1.0F, sign = 1.0F;  // of the scale; 1 and 0 where it is 0
  float log2_magnitude = 0.0F;
};

// What a head has in shared memory: all rows of the sentence. Values are there where sentences have
// tiles of 64 rows, or blocks eight heads; else each warp has its own in registers.
template <int R, int H>
struct HeadTiles {
  static constexpr bool kHasValues = R > kShortRows || H > 4;
  static constexpr int kTiles = kHasValues ? 4 : 3;
  bf16 *q, *k, *dout;  // [R, D]
  bf16* v;             // [R, D], or nothing
  bf16* ds;            // [R keys, R queries]: where v or else dout is, when it is not needed
  float2*
      statistics;  // [R]: log-sum · log2(e) - log2(magnitude), and sign · D of
                   // attention/general_backward.cuh; infinite and 0 for queries that are not there

  __device__ HeadTiles(unsigned char* bytes, int slot) {
    constexpr int kTile = R * kShortStride;
    auto* all = reinterpret_cast<float2*>(bytes);  // of the block's heads, and then their tiles
    statistics = all + slot * R;
    q = reinterpret_cast<bf16*>(all + H * R) + slot * kTiles * kTile;
    k = q + kTile;
    dout = k + kTile;
    v = kHasValues ? dout + kTile : nullptr;
    ds = kHasValues ? v : dout;
  }
};

// D = dout · out of the warp's 32 queries: the diagonals of products of their rows.
template <int D>
__device__ void find_delta(const RowWords<D> (&out)[4], const bf16* dout, float sign,
                           const ShortLane& at, float2* statistics) {
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    float product[1][1][4];
    score_tile<D>(out + i / 2 * 2, dout + 8 * i * kShortStride, at, product);
    const float* mine = product[0][0] + i % 2 * 2;
    if (at.row / 2 == at.column) {
      statistics[8 * i + at.row].y = sign * (at.row % 2 == 0 ? mine[0] : mine[1]);
    }
  }
}

// Scores and dout · v of 16 kM keys and all queries become, times the scale's magnitude, its sign ·
// ds and, where kept, p; both zero where the query does not see the key. `first_seeing` counts from
// column 2c on.
template <int kM, int kN>
__device__ void weigh_short(float scale, float keep_scale, const int (&first_seeing)[kM][2],
                            const std::uint32_t (&kept)[kN / 4], int m0, const float2* statistics,
                            const ShortLane& at, float (&scores)[kM][kN][4],
                            float (&dp)[kM][kN][4]) {
#pragma unroll
  for (int n = 0; n < kN; ++n) {
    const float4 both = *reinterpret_cast<const float4*>(statistics + 8 * n + 2 * at.column);
#pragma unroll
    for (int m = 0; m < kM; ++m) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const int e = i % 2;
        const std::uint32_t bit = 1U << (n % 4 * 8 + (m0 + m) * 4 + i);
        const bool keeps = (kept[n / 4] & bit) != 0;
        float p = exp2_fast(scores[m][n][i] * scale - (e == 0 ? both.x : both.z));
        p = 8 * n + e >= first_seeing[m][i / 2] ? p : 0.0F;
        const float got = keeps ? dp[m][n][i] : 0.0F;
        scores[m][n][i] = p * (got * keep_scale - (e == 0 ? both.y : both.w));
        dp[m][n][i] = keeps ? p : 0.0F;
      }
    }
  }
}

// left · (all rows of a tile of which `count` are there).
template <int D, int kM, int kSteps>
__device__ void multiply_tile(const std::uint32_t (&left)[kSteps][kM][4], const bf16* tile,
                              int count, const ShortLane& at, ShortSums<D> (&sums)[kM]) {
#pragma unroll
  for (int step = 0; step < kSteps; ++step) {
    if (step >= 2 && 16 * step >= count) {
      break;
    }
    add_products<D>(left[step], tile + 16 * step * kShortStride, at, sums);
  }
}

}  // namespace yona::cuda
