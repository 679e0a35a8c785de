// Attention forward over sentences of 65 to 256 tokens: what the warpgroups of
// attention/head_per_block.cu do with one head of a sentence, or with two. One thread sends for
// queries, keys, values and keep mask; each of four warpgroups has 64 queries.
//
// The softmax has no running maximum: weights are exp2 of scores minus a reference, the
// largest of the first 16 scores of a query, which any other number near would do for as well. f32
// and bf16 have exponents enough for scores that lie far above it; where a sum grows beyond kMost,
// the reference is raised to the largest score, and what has been added up so far is corrected.
#pragma once

#include "yona/backend/cuda/attention/head_per_block_tma.cuh"

namespace yona::cuda {

// Hardware barriers, one for each warpgroup: it has read its queries.
enum HeadForwardBarrier { kQueriesAreRead = 1 };

#ifdef YONA_HOPPER

// The softmax of the lane's two queries so far; each of the four lanes of a query has its share of
// the sum.
struct HeadRows {
  float reference[2] = {};  // times log2(e)
  float sum[2] = {};
};
constexpr float kMost = 1.0e18F;  // about 2^60

// From scores: the weights that are kept, as left operand, and the sums of all.
template <bool kDropout>
__device__ void weigh_head(const WarpgroupScores& scores, float scale, const float (&reference)[2],
                           const std::uint32_t (&words)[2][2], int lane, WarpgroupWeights& weights,
                           float (&sums)[2]) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const KeptPairs pairs(words[half], lane);
    float even = 0.0F;
    float odd = 0.0F;
#pragma unroll
    for (int t = 0; t < kWarpgroupTiles; ++t) {
      const float x = exp2_fast(fmaf(scores[t][2 * half], scale, -reference[half]));
      const float y = exp2_fast(fmaf(scores[t][2 * half + 1], scale, -reference[half]));
      even += x;
      odd += y;
      const std::uint32_t both = pack_bf16(x, y);
      weights[t / 2][t % 2 * 2 + half] = kDropout ? both & pairs.of(t) : both;
    }
    sums[half] = even + odd;
  }
}

// Hides from the lane's two queries the keys from j0 on that they do not see; `seen` counts from
// the lane's first.
__device__ inline void hide_scores(const int (&seen)[2], int j0, WarpgroupScores& scores) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int left = seen[half] - j0;
#pragma unroll
    for (int t = 0; t < kWarpgroupTiles; ++t) {
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        float& x = scores[t][2 * half + e];
        x = 8 * t + e < left ? x : -INFINITY;
      }
    }
  }
}

// The largest of the lane's scores of its query `half` in the first kTileCount tiles of 8 keys, and
// of those of the three lanes that share it.
template <int kTileCount>
__device__ float largest_score(const WarpgroupScores& scores, int half) {
  float top = -INFINITY;
#pragma unroll
  for (int t = 0; t < kTileCount; ++t) {
    top = fmaxf(top, fmaxf(scores[t][2 * half], scores[t][2 * half + 1]));
  }
  return row_max(top);
}

// Raises the references to the largest scores so far.
__device__ inline void raise_references(const WarpgroupScores& scores, float scale, HeadRows& rows,
                                        float (&out)[MmaHead<kHeadChannels>::kTiles][4]) {
  float correction[2];
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const float top =
        fmaxf(rows.reference[half], largest_score<kWarpgroupTiles>(scores, half) * scale);
    correction[half] = exp2_fast(rows.reference[half] - top);
    rows.sum[half] *= correction[half];
    rows.reference[half] = top;
  }
  correct<kHeadChannels>(correction, out);
}

// Divides the sums by those of the softmax and writes them and the log-sums, of `count` queries;
// `tile` is where the warpgroup's queries were.
__device__ inline void put_head(const AttentionProblem<bf16>& p, std::int64_t first, int count,
                                int head, const HeadPlace& at, const HeadRows& rows,
                                float (&out)[MmaHead<kHeadChannels>::kTiles][4],
                                unsigned char* tile) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const float sum = row_sum(rows.sum[half]);
    const float share = sum > 0.0F ? __fdividef(p.dropout.scale, sum) : 0.0F;
    const int i = at.first() + at.lane / 4 + 8 * half;
    if (at.lane % 4 == 0 && i < count) {
      p.lse.row(first + i)[head] =
          sum > 0.0F ? (rows.reference[half] + __log2f(sum)) * (1.0F / kLog2E) : -INFINITY;
    }
#pragma unroll
    for (int t = 0; t < MmaHead<kHeadChannels>::kTiles; ++t) {
      out[t][2 * half] *= share;
      out[t][2 * half + 1] *= share;
    }
  }
  meet_threads(kQueriesAreRead + at.group, kWarpgroupThreads);  // by the whole group
  put_warpgroup_rows<kHeadChannels, true>(p.out, first, count, head, out, 1.0F, false, at, tile);
}

// A warpgroup's results of the queries of one slot.
template <bool kDropout>
__device__ void attend_slot(const AttentionProblem<bf16>& p, const KeepMask& table,
                            const HeadItem& item, int slot, const HeadPlace& at,
                            const HeadPlaces& in) {
  constexpr int D = kHeadChannels;
  const Sentence& sentence = item.sentence;
  const int own = slot / item.tiles;
  const int first = slot % item.tiles * kWarpgroupRows;
  const int count = min(sentence.queries - first, kWarpgroupRows);
  const int end = sentence.visible(first + count - 1);
  const int all_see = sentence.visible(first);
  const int row = at.first() + at.lane / 4;
  const int seen[2] = {(row < count ? sentence.visible(first + row) : 0) - at.lane % 4 * 2,
                       (row + 8 < count ? sentence.visible(first + row + 8) : 0) - at.lane % 4 * 2};
  const float scale = p.scale * kLog2E;
  const std::uint32_t queries = in.buffer + HeadBuffer::kQ + slot * HeadBuffer::kTile;
  const unsigned char* kept = in.bytes + HeadBuffer::row_of(own, 0) + (first + row) * 4;
  HeadRows rows;
  float out[MmaHead<D>::kTiles][4] = {};
#pragma unroll
  for (int t = 0; t < MmaHead<D>::kTiles; ++t) {  // zeroed here, not between products
    asm volatile("" : "+f"(out[t][0]), "+f"(out[t][1]), "+f"(out[t][2]), "+f"(out[t][3]));
  }
  in.wait(kOfQueries + slot);  // also where they see no keys: results take their place
  for (int j0 = 0; j0 < end; j0 += kWarpgroupRows) {
    const int key_slot = own * item.tiles + j0 / kWarpgroupRows;
    in.wait(kOfKeys + key_slot);
    const std::uint32_t keys = in.buffer + HeadBuffer::kK + key_slot * HeadBuffer::kTile;
    WarpgroupScores scores;
    begin_products();
    start_scores<D>(queries, keys, scores);
    commit_products();
    wait_for_products();  // and for the sums before
    if (j0 + kWarpgroupRows > all_see) {
      hide_scores(seen, j0, scores);
    }
    if (j0 == 0) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const float top = largest_score<2>(scores, half) * scale;
        rows.reference[half] = top == -INFINITY ? 0.0F : top;
      }
    }
    std::uint32_t words[2][2] = {};
    if (kDropout) {
#pragma unroll
      for (int w = 0; w < 2; ++w) {
        const int word = j0 / kWordKeys + w;
        const unsigned char* place =
            kept + word * HeadBuffer::kRow +
            words_before(table, item.head + own, word, sentence.first_query) * 4;
        words[0][w] = *reinterpret_cast<const std::uint32_t*>(place);
        words[1][w] = *reinterpret_cast<const std::uint32_t*>(place + 32);
      }
    }
    WarpgroupWeights weights;
    float added[2];
    weigh_head<kDropout>(scores, scale, rows.reference, words, at.lane, weights, added);
    if (__ballot_sync(0xFFFFFFFFU, !(added[0] + added[1] <= kMost)) != 0) {  // hardly ever
      raise_references(scores, scale, rows, out);
      weigh_head<kDropout>(scores, scale, rows.reference, words, at.lane, weights, added);
    }
    rows.sum[0] += added[0];
    rows.sum[1] += added[1];
    if (j0 + kWarpgroupRows > sentence.keys) {
      in.wait(kOfTail);
    }
    begin_products();
    start_sums<D>(weights, keys + HeadBuffer::kV - HeadBuffer::kK, out);
    commit_products();
  }
  wait_for_products();
  put_head(p, sentence.first_query + first, count, item.head + own, at, rows, out,
           in.bytes + HeadBuffer::kQ + slot * HeadBuffer::kTile);
}

#endif  // YONA_HOPPER

}  // namespace yona::cuda
