// Attention with tensor cores: what is made of the scores of a tile, whose layout is that of
// score_tile(). Softmax and dropout forward, and their gradients.
#pragma once

#include "yona/backend/cuda/attention/mma.cuh"

namespace yona::cuda {

// The running softmax of the two rows of a lane; each of the four lanes of a row has its share of
// the sum.
struct RunningRows {
  float largest[2] = {-INFINITY, -INFINITY};
  float sum[2] = {};
};

// The keep mask comes as words of 32 keys: bit j keeps the weight of the word's query and key j
// of the 32. Without dropout all bits are set, and the scale is 1.
constexpr int kWordKeys = 32;
static_assert(kWordKeys == kOtherRows);  // a tile of keys is a word of each query
constexpr std::uint32_t kAllKept = 0xFFFFFFFFU;

// Scores of the lane's two queries and keys j0 … become weights before division, dropped where
// `kept`, the queries' words, says so; `correction` is what sums so far are to be multiplied by.
__device__ inline void soften(const AttentionProblem<bf16>& p, const std::uint32_t (&kept)[2],
                              const int (&visible)[2], int j0, RunningRows& running,
                              float (&scores)[kScoreTiles][4], float (&correction)[2]) {
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const float scale = p.scale * kLog2E;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    float top = running.largest[half];
#pragma unroll
    for (int t = 0; t < kScoreTiles; ++t) {
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        float& x = scores[t][2 * half + e];
        x = j0 + 8 * t + lane % 4 * 2 + e < visible[half] ? x * scale : -INFINITY;
        top = fmaxf(top, x);
      }
    }
    top = row_max(top);
    const float base = top == -INFINITY ? 0.0F : top;
    correction[half] = exp2_fast(running.largest[half] - base);
    running.largest[half] = top;
    float added = 0.0F;
    const std::uint32_t bits = kept[half] >> (lane % 4 * 2);
#pragma unroll
    for (int t = 0; t < kScoreTiles; ++t) {
      float& x = scores[t][2 * half];
      float& y = scores[t][2 * half + 1];
      x = exp2_fast(x - base);
      y = exp2_fast(y - base);
      added += x + y;
      if (p.dropout.threshold != 0) {
        x = bits & (1U << (8 * t)) ? x * p.dropout.scale : 0.0F;
        y = bits & (2U << (8 * t)) ? y * p.dropout.scale : 0.0F;
      }
    }
    running.sum[half] = running.sum[half] * correction[half] + added;
  }
}

template <int D>
__device__ void correct(const float (&correction)[2], float (&out)[MmaHead<D>::kTiles][4]) {
#pragma unroll
  for (int t = 0; t < MmaHead<D>::kTiles; ++t) {
    out[t][0] *= correction[0];
    out[t][1] *= correction[0];
    out[t][2] *= correction[1];
    out[t][3] *= correction[1];
  }
}

// The 16 queries' results: sums times `factor`, divided by those of the softmax, and the log-sums.
template <int D>
__device__ void put_attended(const Rows<bf16>& rows, const Rows<float>& lse, std::int64_t first,
                             int count, int head, const RunningRows& running,
                             const float (&out)[MmaHead<D>::kTiles][4], float factor = 1.0F) {
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const float sum[2] = {row_sum(running.sum[0]), row_sum(running.sum[1])};
  const float share[2] = {sum[0] > 0.0F ? factor / sum[0] : 0.0F,
                          sum[1] > 0.0F ? factor / sum[1] : 0.0F};
  put_rows<D>(rows, first, count, head, out, share, false);
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int row = lane / 4 + 8 * half;
    if (lane % 4 == 0 && row < count) {
      lse.row(first + row)[head] =
          sum[half] > 0.0F ? running.largest[half] / kLog2E + logf(sum[half]) : -INFINITY;
    }
  }
}

// What a backward pass knows of a query of one head: the log-sum (times log2(e)) and D of
// attention/general_backward.cuh.
struct QueryStatistics {
  float lse = 0.0F;
  float delta = 0.0F;
};

// The score becomes ds, and dp becomes m p, where the query sees the key; else both become zero.
__device__ inline void weigh(bool seen, bool kept, const QueryStatistics& query, float scale,
                             float keep_scale, float& score, float& dp) {
  const float p = seen ? exp2_fast(score * scale - query.lse) : 0.0F;
  const float factor = kept ? keep_scale : 0.0F;
  score = p * (factor * dp - query.delta);
  dp = p * factor;
}

// The same for a tile whose rows are the warp's queries, of which this lane has two with their
// words, and whose columns are keys j0 …
__device__ inline void weigh_keys(const AttentionProblem<bf16>& in, const int (&visible)[2],
                                  const QueryStatistics (&queries)[2],
                                  const std::uint32_t (&kept)[2], int j0,
                                  float (&scores)[kScoreTiles][4], float (&dp)[kScoreTiles][4]) {
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const std::uint32_t bits = kept[half] >> (lane % 4 * 2);
    const int seen = visible[half] - j0 - lane % 4 * 2;
#pragma unroll
    for (int t = 0; t < kScoreTiles; ++t) {
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        weigh(8 * t + e < seen, (bits & (1U << (8 * t + e))) != 0, queries[half], in.scale * kLog2E,
              in.dropout.scale, scores[t][2 * half + e], dp[t][2 * half + e]);
      }
    }
  }
}

// The same for a tile whose rows are the warp's keys, and whose columns are queries i0 …: the first
// that sees each of the lane's two keys; 32 log-sums (not times log2(e)) and D; and 32 words, of
// which bit `first_bit` is for the warp's first key.
__device__ inline void weigh_queries(const AttentionProblem<bf16>& in, const int (&first_seeing)[2],
                                     const float* lse, const float* delta,
                                     const std::uint32_t* kept, int first_bit, int i0,
                                     float (&scores)[kScoreTiles][4], float (&dp)[kScoreTiles][4]) {
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const int bit = first_bit + lane / 4;
#pragma unroll
  for (int t = 0; t < kScoreTiles; ++t) {
    const int column = 8 * t + lane % 4 * 2;
    const float2 lses = *reinterpret_cast<const float2*>(lse + column);
    const float2 deltas = *reinterpret_cast<const float2*>(delta + column);
    const uint2 words = *reinterpret_cast<const uint2*>(kept + column);
#pragma unroll
    for (int e = 0; e < 2; ++e) {
      const QueryStatistics query{(e == 0 ? lses.x : lses.y) * kLog2E,
                                  e == 0 ? deltas.x : deltas.y};
      const std::uint32_t bits = (e == 0 ? words.x : words.y) >> bit;
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        weigh(i0 + column + e >= first_seeing[half], (bits & (1U << (8 * half))) != 0, query,
              in.scale * kLog2E, in.dropout.scale, scores[t][2 * half + e], dp[t][2 * half + e]);
      }
    }
  }
}

}  // namespace yona::cuda
