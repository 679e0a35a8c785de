// Attention with tensor cores for sentences of up to 64 tokens, the common case of translation: a
// block takes one sentence and a few heads, reads every row once, and keeps all of them in shared
// memory, forward and backward. With tiles of R rows (32 or 64), a warp takes 32 rows of one head,
// R/32 warps a head, and a block H heads. What both directions share: who takes what, and dropout.
#pragma once

#include <type_traits>

#include "yona/backend/cuda/attention/mma_weights.cuh"
#include "yona/backend/cuda/attention/short_products.cuh"

namespace yona::cuda {

// The place of this warp, with tiles of R rows of each of H heads.
template <int R, int H>
struct ShortPlace {
  static constexpr int kWarpsOfHead = R / kShortRows;
  static constexpr int kBlockWarps = H * kWarpsOfHead;
  static constexpr int kBlockThreads = kBlockWarps * kLanes;
  std::int64_t sentence;
  int first_head;
  int warp, slot, part, first, head;  // head in the block, 32 rows in the head, first row, head

  __device__ ShortPlace(std::int64_t number, int group)
      : sentence(number),
        first_head(group * H),
        warp(static_cast<int>(threadIdx.x) / kLanes),
        slot(warp / kWarpsOfHead),
        part(warp % kWarpsOfHead),
        first(part * kShortRows),
        head(first_head + slot) {}
};

// The keep mask of the sentence and the block's heads, in shared memory: of each 32 × 32
// scores of a head, a lane has 32 as score_tile() deals them, and for them a word. Bit
// 8n + 4m + 2·half + e is that of row 16m + 8·half + r and column 8n + 2c + e.
//
// A Philox block decides for eight heads, so the warps of the same 32 rows, one of each head, share
// the work: each finds 32/H of the bits, for all of the block's heads. The fewer heads a block has,
// the more of what Philox gives is not used.
template <int R, int H>
struct ShortKeepMask {
  static_assert(H == 4 || H == kHeadGroup);
  static constexpr int kParts = R / kShortRows;
  static constexpr int kBits = 32 / H;
  std::uint32_t words[kParts][kParts][H][kLanes];  // by rows, columns and which bits

  template <bool kRowsAreQueries>
  __device__ void decide(const AttentionProblem<bf16>& p, const Sentence& sentence,
                         const ShortPlace<R, H>& place, const ShortLane& at) {
    const auto group = static_cast<std::uint32_t>(place.first_head / kHeadGroup);
    const bool second_half = place.first_head % kHeadGroup != 0;
    const int rows = kRowsAreQueries ? sentence.queries : sentence.keys;
    const int columns = kRowsAreQueries ? sentence.keys : sentence.queries;
    const std::uint32_t threshold = p.dropout.threshold << 16U;
    const std::uint64_t* keys = p.q_keys + sentence.first_query;
    const int last = sentence.queries - 1;
#pragma unroll
    for (int part = 0; part < kParts; ++part) {  // eight columns, of 32 rows or of 16
      const int first_row = place.first + (kBits < 8 ? place.slot % 2 * 16 : 0);
      const int first_column = part * kShortRows + place.slot * kBits / 8 * 8;
      if (first_row >= rows || first_column >= columns) {
        continue;
      }
      std::uint32_t word = 0;
#pragma unroll
      for (int i = 0; i < kBits; ++i) {
        const int row = first_row + i / 4 * 16 + i / 2 % 2 * 8 + at.row;
        const int column = first_column + 2 * at.column + i % 2;
        const int query = kRowsAreQueries ? row : column;
        const uint4 block =
            dropout_words(p.dropout, static_cast<std::uint32_t>(kRowsAreQueries ? column : row),
                          keys[min(query, last)], group);
#pragma unroll
        for (int pair = 0; pair < H / 2; ++pair) {
          const std::uint32_t two = pair_of(block, second_half, pair);
          word |= two << 16U >= threshold ? 1U << (2 * pair * kBits + i) : 0U;
          word |= two >= threshold ? 1U << ((2 * pair + 1) * kBits + i) : 0U;
        }
      }
      words[place.part][part][place.slot][at.lane] = word;
    }
  }

  // Those of the warp's 32 rows and columns 32 · part …
  __device__ std::uint32_t of(const ShortPlace<R, H>& place, int part, const ShortLane& at) const {
    const auto& mine = words[place.part][part];
    std::uint32_t bits = 0;
#pragma unroll
    for (int i = 0; i < H; ++i) {
      bits |= (mine[i][at.lane] >> (place.slot * kBits) & ((1U << kBits) - 1)) << (i * kBits);
    }
    return bits;
  }

 private:
  // The word for two of the block's heads.
  __device__ static std::uint32_t pair_of(const uint4& block, bool second_half, int pair) {
    if constexpr (H == kHeadGroup) {
      return pair == 0 ? block.x : pair == 1 ? block.y : pair == 2 ? block.z : block.w;
    } else {
      return pair == 0 ? (second_half ? block.z : block.x) : (second_half ? block.w : block.y);
    }
  }
};

// Which sentences a batch has: in one with any of over 32 tokens, blocks have the shared memory
// that their own sentence needs.
enum class ShortLengths { to_32, to_64 };

// What a launch has: kWarps warps to a block, which take a head each, or two for one of a sentence
// of over 32 tokens; and blocks that a multiprocessor is to hold.
template <ShortLengths kBatch, int kBlockWarps, int kBlocksOfProcessor>
struct ShortLaunch {
  static constexpr ShortLengths kLengths = kBatch;
  static constexpr int kWarps = kBlockWarps;
  static constexpr int kThreads = kWarps * kLanes;
  static constexpr int kBlocks = kBlocksOfProcessor;
  // Bytes of ShortKeepMask: for 64 rows, twice those for 32 of twice the heads.
  static constexpr std::size_t kDecisions =
      sizeof(ShortKeepMask<kShortRows, kWarps>) * (kLengths == ShortLengths::to_32 ? 1 : 2);

  // Blocks of a sentence. They follow each other, so that rows of memory are read as a whole.
  static int groups(const AttentionArgs& args) {
    return static_cast<int>(
        blocks_for(args.heads, kLengths == ShortLengths::to_32 ? kWarps : kWarps / 2));
  }

  // Calls function(ShortPlace, Sentence) for this block's sentence and heads, where it is short and
  // there are any.
  template <class Function>
  __device__ static void with_place(const AttentionProblem<bf16>& p, int groups,
                                    const Function& function) {
    // The last sentence first: what the previous product wrote last is still in the cache, and what
    // is written last is what the product behind reads first.
    const unsigned turn = gridDim.x - 1 - blockIdx.x;
    const std::int64_t number = turn / static_cast<unsigned>(groups);
    const int group = static_cast<int>(turn % static_cast<unsigned>(groups));
    const Sentence sentence(p, number);
    const int length = max(sentence.queries, sentence.keys);
    if (length <= kShortRows) {
      if (group * kWarps < p.heads) {
        function(ShortPlace<kShortRows, kWarps>(number, group), sentence);
      }
    } else if constexpr (kLengths == ShortLengths::to_64) {
      if (length <= kLongestShort) {
        function(ShortPlace<kLongestShort, kWarps / 2>(number, group), sentence);
      }
    }
  }
};

// May there be sentences of which both sides are short?
inline bool some_are_short(const AttentionArgs& args) {
  return some_up_to(args.lengths_q, kLongestShort) && some_up_to(args.lengths_k, kLongestShort);
}

// Calls function(std::integral_constant<int, D>, std::integral_constant<ShortLengths, …>).
template <class Function>
void with_short_sizes(const AttentionArgs& args, const Function& function) {
  if (!some_are_short(args)) {
    return;
  }
  const auto with_lengths = [&](auto d) {
    if (args.longest_q <= kShortRows && args.longest_k <= kShortRows) {
      function(d, std::integral_constant<ShortLengths, ShortLengths::to_32>{});
    } else {
      function(d, std::integral_constant<ShortLengths, ShortLengths::to_64>{});
    }
  };
  if (args.d_k == 32) {
    with_lengths(std::integral_constant<int, 32>{});
  } else {
    with_lengths(std::integral_constant<int, 64>{});
  }
}

}  // namespace yona::cuda
