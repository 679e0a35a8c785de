// Attention backward over sentences of 65 to 256 tokens: what a block of
// attention/head_per_block.cuh does; see attention/general_backward.cuh for the gradients. Two
// warpgroups form the scores of a query tile and a key tile, each of every other pair, once, and
// put the weights and ds into one of four places in shared memory. The other two multiply: one
// weights with dout, whose sum over a key tile's pairs is dv, the other ds with q, which gives dk;
// and each ds with k for the dq of every other query tile. So exponentials and products overlap
// with each other. Every sum has a fixed order. D of a query and the sums for biases are found on
// the way.
#pragma once

#include "yona/backend/cuda/attention/head_per_block.cuh"

namespace yona::cuda {

struct HeadGradients {
  AttentionProblem<bf16> in;
  Rows<bf16> dout, dq, dk, dv;
  bool accumulate_dq = false, accumulate_dk = false, accumulate_dv = false;
  KeepMask keep_mask;
  GradientPartials partials;
};

constexpr int kHeadPlaces = 4;  // for weights and ds of a pair

// What is known of the queries of a tile.
struct HeadQueries {
  std::uint32_t kept[kLongestHeadPerBlock / kWordKeys][kWarpgroupRows];
  float lse[kWarpgroupRows];    // times log2(e), less the logarithm of what dropout multiplies by
  float delta[kWarpgroupRows];  // D, divided by what dropout multiplies by
};

template <int D>
struct HeadShared {
  static constexpr int kTile = WarpgroupHead<D>::kTileBytes;
  static constexpr int kWeightTile = WarpgroupHead<64>::kTileBytes;
  static constexpr int kQ = 0;
  static constexpr int kDout = kQ + kHeadTiles * kTile;
  static constexpr int kK = kDout + kHeadTiles * kTile;
  static constexpr int kV = kK + kHeadTiles * kTile;
  static constexpr int kWeights = kV + kHeadTiles * kTile;
  static constexpr int kDs = kWeights + kHeadPlaces * kWeightTile;
  static constexpr int kOut = kDs + kHeadPlaces * kWeightTile;  // a tile for each who writes
  static constexpr int kQueries = kOut + 2 * kTile;
  static constexpr int kColumns = kQueries + kHeadTiles * static_cast<int>(sizeof(HeadQueries));
  static constexpr int kBytes = kColumns + 2 * 3 * 4 * D * static_cast<int>(sizeof(float));
};

// Hardware barriers.
enum HeadBarrier { kRestIsThere = 1, kPairIsThere, kPlaceIsFree = kPairIsThere + kHeadPlaces };
constexpr int kPairThreads = 3 * kWarpgroupThreads;  // one group that forms it, two that use it

// What is known of a tile's queries, from the rows of out in memory and those of dout, of which
// each thread has begun to copy into the tile what it reads here.
template <int D>
__device__ void find_queries(const HeadGradients& g, std::int64_t first, int count, int keys,
                             int head, int thread, const unsigned char* dout,
                             HeadQueries& queries) {
  constexpr int kPieces = WarpgroupHead<D>::kPieces;
  constexpr int kRowsAtOnce = kWarpgroupThreads / kPieces;
  const int piece = thread % kPieces;
  uint4 rows[kWarpgroupRows / kRowsAtOnce];
#pragma unroll
  for (int r = 0; r < kWarpgroupRows; r += kRowsAtOnce) {
    const int row = r + thread / kPieces;
    rows[r / kRowsAtOnce] =
        row < count
            ? *reinterpret_cast<const uint4*>(g.in.out.row(first + row) + head * D + piece * 8)
            : make_uint4(0, 0, 0, 0);
  }
  if (thread < kWarpgroupRows) {
    queries.lse[thread] = thread < count ? fmaf(g.in.lse.row(first + thread)[head], kLog2E,
                                                -log2f(g.in.dropout.scale))
                                         : 0.0F;
  }
  const int query = thread % kWarpgroupRows;
  for (int word = thread / kWarpgroupRows; word * kWordKeys < keys; word += 2) {
    queries.kept[word][query] =
        query < count ? g.keep_mask.word(first + query, head, word * kWordKeys) : kAllKept;
  }
  const float factor = 1.0F / g.in.dropout.scale;
  wait_for_copy_groups<1>();
#pragma unroll
  for (int r = 0; r < kWarpgroupRows; r += kRowsAtOnce) {
    const int row = r + thread / kPieces;
    float x[kPack];
    float y[kPack];
    load8(reinterpret_cast<const bf16*>(&rows[r / kRowsAtOnce]), x);
    load8(reinterpret_cast<const bf16*>(dout + WarpgroupHead<D>::place(row, piece)), y);
    float sum = 0.0F;
#pragma unroll
    for (int c = 0; c < kPack; ++c) {
      sum += x[c] * y[c];
    }
#pragma unroll
    for (int distance = kPieces / 2; distance > 0; distance /= 2) {
      sum += __shfl_xor_sync(0xFFFFFFFFU, sum, distance);
    }
    if (piece == 0) {
      queries.delta[row] = sum * factor;
    }
  }
}

// Scores become weights times what dropout multiplies by, before any is dropped. The lane has
// queries i and i + 8 of its sentence, `row` and row + 8 of the tile.
template <bool kMasked>
__device__ void weigh_scores(const Sentence& sentence, const HeadQueries& queries, int row, int i,
                             float scale, int j0, int lane, const WarpgroupScores& scores,
                             WarpgroupScores& p) {
  int seen[2] = {};
  if constexpr (kMasked) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int query = i + 8 * half;
      seen[half] = (query < sentence.queries ? sentence.visible(query) : 0) - j0 - lane % 4 * 2;
    }
  }
  const float lse[2] = {queries.lse[row], queries.lse[row + 8]};
#pragma unroll
  for (int t = 0; t < kWarpgroupTiles; ++t) {
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const float x = fmaf(scores[t][e], scale, -lse[e / 2]);
      p[t][e] = exp2_fast(kMasked && 8 * t + e % 2 >= seen[e / 2] ? -INFINITY : x);
    }
  }
}

// From weights p and dp: the weights that are kept and ds = p (m dp - D), as left operands.
__device__ inline void find_ds(const HeadQueries& queries, int row, int j0, int lane,
                               const WarpgroupScores& p, const WarpgroupScores& dp,
                               WarpgroupWeights& weights, WarpgroupWeights& ds) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const float delta = queries.delta[row + 8 * half];
#pragma unroll
    for (int word = 0; word < 2; ++word) {
      const std::uint32_t bits =
          queries.kept[j0 / kWordKeys + word][row + 8 * half] >> (lane % 4 * 2);
#pragma unroll
      for (int t = 4 * word; t < 4 * word + 4; ++t) {
        float kept[2];
        float d[2];
#pragma unroll
        for (int e = 0; e < 2; ++e) {
          const float weight = p[t][2 * half + e];
          kept[e] = (bits & (1U << (8 * (t % 4) + e))) != 0 ? weight : 0.0F;
          d[e] = fmaf(kept[e], dp[t][2 * half + e], -weight * delta);
        }
        weights[t / 2][t % 2 * 2 + half] = pack_bf16(kept[0], kept[1]);
        ds[t / 2][t % 2 * 2 + half] = pack_bf16(d[0], d[1]);
      }
    }
  }
}

// columns = (or +=) factor · the sums over 16 rows: column 8t + 2·(lane % 4) + e.
template <int D>
__device__ void add_columns(const float (&sums)[MmaHead<D>::kTiles][4], float factor, bool add,
                            int lane, float* columns) {
#pragma unroll
  for (int t = 0; t < MmaHead<D>::kTiles; ++t) {
    float2 pair = make_float2(sums[t][0] + sums[t][2], sums[t][1] + sums[t][3]);
#pragma unroll
    for (int distance = 4; distance < kLanes; distance *= 2) {
      pair.x += __shfl_xor_sync(0xFFFFFFFFU, pair.x, distance);
      pair.y += __shfl_xor_sync(0xFFFFFFFFU, pair.y, distance);
    }
    if (lane < 4) {
      auto& to = *reinterpret_cast<float2*>(columns + 8 * t + 2 * lane);
      to = make_float2(fmaf(pair.x, factor, add ? to.x : 0.0F),
                       fmaf(pair.y, factor, add ? to.y : 0.0F));
    }
  }
}

}  // namespace yona::cuda
