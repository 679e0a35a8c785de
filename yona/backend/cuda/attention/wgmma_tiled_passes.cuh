// The two passes of attention/wgmma_tiled_backward.cu, each over the tiles of one block.
#pragma once

#include "yona/backend/cuda/attention/wgmma_tiled_backward.cuh"

namespace yona::cuda {

// The lane's two queries, where those are its own.
struct WarpgroupQueries {
  std::int64_t row[2];  // in the batch
  float lse[2], delta[2];

  __device__ WarpgroupQueries(const WarpgroupGradients& g, const Sentence& sentence, int first,
                              int head) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int i = first + 8 * half;
      const bool there = i < sentence.queries;
      row[half] = sentence.query_row(min(i, sentence.queries - 1));
      lse[half] = there ? g.queries.lse_of(head)[row[half]] : 0.0F;
      delta[half] = there ? g.queries.delta_of(head)[row[half]] : 0.0F;
    }
  }
};

template <bool kMasked>
__device__ void weigh_own_queries(const WarpgroupQueries& queries, float scale,
                                  const SeenPairs& pairs, WarpgroupScores& scores) {
#pragma unroll
  for (int t = 0; t < kWarpgroupTiles; ++t) {
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const int half = e / 2;
      const bool seen = !kMasked || pairs.has(half, t, e % 2);
      scores[t][e] = seen ? exp2_fast(fmaf(scores[t][e], scale, -queries.lse[half])) : 0.0F;
    }
  }
}

// dq of 64 queries.
template <int D, Seeing kSeeing>
__device__ void query_pass(const WarpgroupGradients& g, const Sentence& sentence, int first,
                           int head, std::uint32_t tiles) {
  using Shared = WarpgroupShared<D>;
  constexpr int kTile = Shared::kTile;
  const AttentionProblem<bf16>& in = g.in;
  const WarpgroupPlace at;
  const int count = min(sentence.queries - first, kWarpgroupRows);
  const int last = first + count - 1;
  const TileSight<kSeeing> sight(sentence);
  const int begin = sight.key_begin(first, last);
  const int end = sight.key_end(last);
  const Rows<bf16> keys = sentence.key_rows(in.k);
  const Rows<bf16> values = sentence.key_rows(in.v);
  int place = 0;  // of the tile that is worked on
  const auto stage = [&](int j0, int to) {
    const std::uint32_t tile = tiles + Shared::kOthers + to * 2 * kTile;
    stage_tile<D>(keys, j0, end - j0, head, at.thread, tile);
    stage_tile<D>(values, j0, end - j0, head, at.thread, tile + kTile);
  };
  stage_tile<D>(sentence.query_rows(in.q), first, count, head, at.thread, tiles);
  stage_tile<D>(sentence.query_rows(g.dout), first, count, head, at.thread, tiles + kTile);
  stage(begin, place);
  const int own = first + at.first() + at.lane / 4;
  const WarpgroupQueries queries(g, sentence, own, head);
  const float scale = in.scale * kLog2E;
  std::uint32_t next[2][2];
  fetch_keep_words(g.keep_mask, queries.row, head, begin, end, next);
  float dq[MmaHead<D>::kTiles][4] = {};
  for (int j0 = begin, next_j0 = 0; j0 < end; j0 = next_j0, place ^= 1) {
    wait_for_copies();
    show_to_tensor_cores();
    __syncthreads();  // this tile has arrived, and the one before is free
    next_j0 = sight.next_keys(first, last, j0 + kWarpgroupRows);
    if (next_j0 < end) {
      stage(next_j0, place ^ 1);
    }
    std::uint32_t kept[2][2];
#pragma unroll
    for (int w = 0; w < 2; ++w) {
      kept[0][w] = next[0][w] >> (at.lane % 4 * 2);
      kept[1][w] = next[1][w] >> (at.lane % 4 * 2);
    }
    fetch_keep_words(g.keep_mask, queries.row, head, next_j0, end, next);
    const std::uint32_t tile = tiles + Shared::kOthers + place * 2 * kTile;
    WarpgroupScores scores;
    WarpgroupScores dp;
    find_scores<D>(tiles, tile, scores, dp, [&] {
      if (sight.all_see_keys(first, last, j0)) {
        weigh_own_queries<false>(queries, scale, {0, 0, 0}, scores);
      } else {
        const SeenPairs seen(sight.keys_of(own, j0), sight.keys_of(own + 8, j0), at.lane);
        weigh_own_queries<true>(queries, scale, seen, scores);
      }
    });
#pragma unroll
    for (int t = 0; t < kWarpgroupTiles; ++t) {
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const int column = 8 * t + e % 2;  // and the lane's
        const bool keeps = (kept[e / 2][column / kWordKeys] & (1U << column % kWordKeys)) != 0;
        scores[t][e] *= fmaf(keeps ? in.dropout.scale : 0.0F, dp[t][e], -queries.delta[e / 2]);
      }
    }
    WarpgroupWeights ds;
    pack_weights(scores, ds);
    begin_products();
    start_sums<D>(ds, tile, dq);
    commit_products();
    wait_for_products();
  }
  wait_for_copies();
  const float factor[2] = {in.scale, in.scale};
  put_rows<D>(sentence.query_rows(g.dq), first + at.first(), at.rows_of(count), head, dq, factor,
              g.accumulate_dq);
}

template <bool kMasked>
__device__ void weigh_own_keys(const float* lse, const SeenPairs& pairs, float scale, int lane,
                               WarpgroupScores& scores) {
#pragma unroll
  for (int t = 0; t < kWarpgroupTiles; ++t) {
    const int column = 8 * t + lane % 4 * 2;
    const float2 lses = *reinterpret_cast<const float2*>(lse + column);
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const bool seen = !kMasked || pairs.has(e / 2, t, e % 2);
      const float query_lse = e % 2 == 0 ? lses.x : lses.y;
      scores[t][e] = seen ? exp2_fast(fmaf(scores[t][e], scale, -query_lse)) : 0.0F;
    }
  }
}

// Begins to copy what the pass over keys `first` … needs to know of 64 queries from i0 on. A query
// that is not there has zeros everywhere, and so adds nothing to any sum.
__device__ inline void stage_statistics(const WarpgroupGradients& g, const Sentence& sentence,
                                        int i0, int first, int head, int thread, int place,
                                        WarpgroupStatistics& statistics) {
  const int column = thread % kWarpgroupRows;
  const int half = thread / kWarpgroupRows;
  const bool there = i0 + column < sentence.queries;
  const std::int64_t row = sentence.query_row(i0 + column);
  const float* from = half == 0 ? g.queries.lse_of(head) : g.queries.delta_of(head);
  float* statistic = half == 0 ? statistics.lse[place] : statistics.delta[place];
  stage_word_async(there ? from + row : from, there, statistic + column);
  std::uint32_t* kept = &statistics.kept[place][half][column];
  const int j = first + half * kWordKeys;
  if (g.keep_mask.words == nullptr) {
    *kept = kAllKept;
  } else if (there && j < sentence.keys) {
    stage_word_async(g.keep_mask.of(head, j) + row, true, kept);
  }
}

// dk and dv of 64 keys.
template <int D, Seeing kSeeing>
__device__ void key_pass(const WarpgroupGradients& g, const Sentence& sentence, int first, int head,
                         std::uint32_t tiles, WarpgroupStatistics& statistics) {
  using Shared = WarpgroupShared<D>;
  constexpr int kTile = Shared::kTile;
  const AttentionProblem<bf16>& in = g.in;
  const WarpgroupPlace at;
  const int count = min(sentence.keys - first, kWarpgroupRows);
  const int last = first + count - 1;
  const TileSight<kSeeing> sight(sentence);
  const int begin = sight.query_begin(first, last);
  const int end = sight.query_end(last);
  const Rows<bf16> queries = sentence.query_rows(in.q);
  const Rows<bf16> douts = sentence.query_rows(g.dout);
  int place = 0;  // of the tile that is worked on
  const auto stage = [&](int i0, int to) {
    const std::uint32_t tile = tiles + Shared::kOthers + to * 2 * kTile;
    stage_tile<D>(queries, i0, end - i0, head, at.thread, tile);
    stage_tile<D>(douts, i0, end - i0, head, at.thread, tile + kTile);
    stage_statistics(g, sentence, i0, first, head, at.thread, to, statistics);
  };
  stage_tile<D>(sentence.key_rows(in.k), first, count, head, at.thread, tiles);
  stage_tile<D>(sentence.key_rows(in.v), first, count, head, at.thread, tiles + kTile);
  if (begin < end) {
    stage(begin, place);
  }
  const int own = first + at.first() + at.lane / 4;
  const int bit = at.first() % kWordKeys + at.lane / 4;
  const float scale = in.scale * kLog2E;
  float dk[MmaHead<D>::kTiles][4] = {};
  float dv[MmaHead<D>::kTiles][4] = {};
  for (int i0 = begin, next_i0 = 0; i0 < end; i0 = next_i0, place ^= 1) {
    wait_for_copies();
    show_to_tensor_cores();
    __syncthreads();  // this tile has arrived, and the one before is free
    next_i0 = sight.next_queries(first, last, i0 + kWarpgroupRows);
    if (next_i0 < end) {
      stage(next_i0, place ^ 1);
    }
    const std::uint32_t tile = tiles + Shared::kOthers + place * 2 * kTile;
    const std::uint32_t* words = statistics.kept[place][at.first() / kWordKeys];
    WarpgroupScores scores;
    WarpgroupScores dp;
    find_scores<D>(tiles, tile, scores, dp, [&] {
      if (sight.all_queries_see(first, last, i0)) {
        weigh_own_keys<false>(statistics.lse[place], {0, 0, 0}, scale, at.lane, scores);
      } else {
        const SeenPairs seen(sight.queries_of(own, i0), sight.queries_of(own + 8, i0), at.lane);
        weigh_own_keys<true>(statistics.lse[place], seen, scale, at.lane, scores);
      }
    });
#pragma unroll
    for (int t = 0; t < kWarpgroupTiles; ++t) {
      const int column = 8 * t + at.lane % 4 * 2;
      const float2 delta = *reinterpret_cast<const float2*>(statistics.delta[place] + column);
      const uint2 kept = *reinterpret_cast<const uint2*>(words + column);
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const std::uint32_t bits = (e % 2 == 0 ? kept.x : kept.y) >> bit;
        const float factor = (bits & (1U << (8 * (e / 2)))) != 0 ? in.dropout.scale : 0.0F;
        const float p = scores[t][e];
        scores[t][e] = p * fmaf(factor, dp[t][e], e % 2 == 0 ? -delta.x : -delta.y);
        dp[t][e] = p * factor;
      }
    }
    WarpgroupWeights ds;
    WarpgroupWeights weights;
    pack_weights(scores, ds);
    pack_weights(dp, weights);
    begin_products();
    start_sums<D>(ds, tile, dk);
    start_sums<D>(weights, tile + kTile, dv);
    commit_products();
    wait_for_products();
  }
  wait_for_copies();
  const float factor[2] = {in.scale, in.scale};
  const float one[2] = {1.0F, 1.0F};
  const int put_first = first + at.first();
  put_rows<D>(sentence.key_rows(g.dk), put_first, at.rows_of(count), head, dk, factor,
              g.accumulate_dk);
  put_rows<D>(sentence.key_rows(g.dv), put_first, at.rows_of(count), head, dv, one,
              g.accumulate_dv);
}

}  // namespace yona::cuda
