// Attention with tensor cores for sentences of up to 64 tokens, the common case of translation: a
// block takes one sentence and a few heads, reads every row once, and keeps all of them in shared
// memory, forward and backward. What both share; the products are those of attention_mma.cuh.
//
// With room for R rows (32 or 64), a warp takes 16 rows of one head: R/16 warps to a head, and so
// 128/R heads to a block of eight warps.
#pragma once

#include <type_traits>

#include "yona/backend/cuda/attention_mma_weights.cuh"

namespace yona::cuda {

constexpr int kShortWarps = 8;
constexpr int kShortThreads = kShortWarps * kLanes;
constexpr int kShortest = 32;

// The place of this warp, with room for R rows.
template <int R>
struct ShortPlace {
  static constexpr int kWarpsOfHead = R / kOwnRows;
  static constexpr int kHeads = kShortWarps / kWarpsOfHead;
  int warp, lane, first, slot, head;  // first row; the head's number in the block and in all

  __device__ ShortPlace()
      : warp(static_cast<int>(threadIdx.x) / kLanes),
        lane(static_cast<int>(threadIdx.x) % kLanes),
        first(warp % kWarpsOfHead * kOwnRows),
        slot(warp / kWarpsOfHead),
        head(static_cast<int>(blockIdx.y) * kHeads + slot) {}
};

// Blocks of a multiprocessor: more of the small ones, which wait for memory otherwise.
template <int R>
constexpr int kShortBlocks = R == kShortest ? 3 : 2;

template <int R>
dim3 short_grid(const AttentionArgs& args) {
  return {static_cast<unsigned>(args.sentences), blocks_for(args.heads, ShortPlace<R>::kHeads)};
}

// Is the sentence one of those that blocks with room for R rows take, the shortest of which has
// `least` rows?
template <int R>
__device__ bool takes(const Sentence& sentence, int least) {
  const int length = max(sentence.queries, sentence.keys);
  return length <= R && length >= least;
}

// Is it certain that no sentence is short? So it is where they are all of about one length.
inline bool all_are_long(const AttentionArgs& args) {
  const auto are_long = [&](std::int64_t tokens, std::int64_t longest) {
    return tokens > kLongestShort + (args.sentences - 1) * longest;
  };
  return are_long(args.q.rows, args.longest_q) || are_long(args.k.rows, args.longest_k);
}

// Calls function(std::integral_constant<int, D>, std::integral_constant<int, R>, least) for each R
// that the batch may have sentences for. In a small batch, whose blocks all run at once, those with
// room for more rows take the short sentences too: one launch instead of two.
template <class Function>
void with_short_sizes(const AttentionArgs& args, const Function& function) {
  constexpr std::int64_t kFewBlocks = 528;  // four for each multiprocessor of an H200
  constexpr auto kSmall = std::integral_constant<int, kShortest>{};
  constexpr auto kLarge = std::integral_constant<int, kLongestShort>{};
  if (all_are_long(args)) {
    return;
  }
  const auto with_rows = [&](auto d) {
    const dim3 grid = short_grid<kLongestShort>(args);
    if (args.longest_q <= kShortest && args.longest_k <= kShortest) {
      function(d, kSmall, 0);
    } else if (std::int64_t{grid.x} * grid.y <= kFewBlocks) {
      function(d, kLarge, 0);
    } else {
      function(d, kSmall, 0);
      function(d, kLarge, kShortest + 1);
    }
  };
  if (args.d_k == 32) {
    with_rows(std::integral_constant<int, 32>{});
  } else {
    with_rows(std::integral_constant<int, 64>{});
  }
}

// The dropout decisions of the sentence and the block's heads, in shared memory.
template <int R>
struct ShortDecisions {
  static constexpr int kHeads = ShortPlace<R>::kHeads;
  static constexpr int kWords = R / kWordKeys;  // of a query
  std::uint32_t words[kHeads][kWords][R + 2];   // 2: heads are in different banks

  // A warp takes every eighth query.
  __device__ void decide(const AttentionProblem<bf16>& p, const Sentence& sentence,
                         const ShortPlace<R>& at) {
    const int first_head = static_cast<int>(blockIdx.y) * kHeads;
    for (int i = at.warp; i < R; i += kShortWarps) {
      const bool dropped = p.dropout.threshold != 0 && i < sentence.queries;
      const std::uint64_t key = dropped ? p.q_keys[sentence.first_query + i] : 0;
#pragma unroll
      for (int w = 0; w < kWords; ++w) {
        std::uint32_t decided[kHeads];
        if (dropped && w * kWordKeys < sentence.visible(i)) {
          decide_words(p.dropout, key, w * kWordKeys + at.lane,
                       static_cast<std::uint32_t>(first_head / kHeadGroup),
                       first_head % kHeadGroup / 2, decided);
        } else {
#pragma unroll
          for (std::uint32_t& word : decided) {
            word = kAllKept;
          }
        }
        std::uint32_t mine = decided[0];  // a head to a lane
#pragma unroll
        for (int h = 1; h < kHeads; ++h) {
          mine = at.lane == h ? decided[h] : mine;
        }
        if (at.lane < kHeads) {
          words[at.lane][w][i] = mine;
        }
      }
    }
  }
  // Those of queries 0 … of a head of the block, for the 32 keys that key j is one of.
  __device__ const std::uint32_t* of(int slot, int j) const { return words[slot][j / kWordKeys]; }
};

}  // namespace yona::cuda
