// Attention with tensor cores for sentences of up to 64 tokens, the common case of translation: a
// block takes one sentence and a few heads, reads every row once, and keeps all of them in shared
// memory, forward and backward. What both share; the products are those of attention_mma.cuh.
//
// With room for R rows (32 or 64), a warp takes 16 rows of one head: R/16 warps to a head, and so
// 128/R heads to a block of eight warps.
#pragma once

#include <type_traits>

#include "yona/backend/cuda/attention_mma.cuh"

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

// Calls function(std::integral_constant<int, D>, std::integral_constant<int, R>, least) for each R
// that the batch may have sentences for. In a small batch, whose blocks all run at once, those with
// room for more rows take the short sentences too: one launch instead of two.
template <class Function>
void with_short_sizes(const AttentionArgs& args, const Function& function) {
  constexpr std::int64_t kFewBlocks = 528;  // four for each multiprocessor of an H200
  constexpr auto kSmall = std::integral_constant<int, kShortest>{};
  constexpr auto kLarge = std::integral_constant<int, kLongestShort>{};
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

// The dropout decisions of the sentence: bit h of kept[i · R + j] keeps weight (i, j) for head h of
// the eight that share a Philox block.
template <int R>
__device__ void decide_dropout(const AttentionProblem<bf16>& p, const Sentence& sentence,
                               const ShortPlace<R>& at, std::uint8_t* kept) {
  const auto group = static_cast<std::uint32_t>(blockIdx.y * ShortPlace<R>::kHeads / kHeadGroup);
  for (int i = at.warp; i < sentence.queries; i += kShortWarps) {
    const std::uint64_t key = p.q_keys[sentence.first_query + i];
    const int visible = sentence.visible(i);
    for (int j = at.lane; j < visible; j += kLanes) {
      const uint4 words = dropout_words(p.dropout, static_cast<std::uint32_t>(j), key, group);
      kept[i * R + j] = static_cast<std::uint8_t>(kept_lanes(words, p.dropout.threshold));
    }
  }
}

}  // namespace yona::cuda
