// Which of 64 queries see which of 64 keys, by a mask and a pattern (backend/attention_pattern.h).
// Tiles in which no query sees a key are skipped; tiles in which every query sees every key need no
// mask; the others have 64 bits for each row.
//
// With a pattern, queries and keys are the same tokens: query i is at position i.
#pragma once

#include "yona/backend/cuda/attention/problem.cuh"

namespace yona::cuda {

constexpr int kSightRows = 64;

// Bits begin … end - 1 of 64.
__device__ inline std::uint64_t bits_between(int begin, int end) {
  const int from = max(begin, 0);
  const int to = min(end, kSightRows);
  return from < to ? ~std::uint64_t{0} >> (kSightRows - (to - from)) << from : 0;
}

// The bits of a lane's two rows for the columns of a tile of scores, shifted so that those of the
// lane's column c in tile t are at 8 t + c.
struct SeenPairs {
  std::uint32_t words[2][2];  // by row and 32 columns

  __device__ SeenPairs(std::uint64_t first, std::uint64_t second, int lane)
      : words{{static_cast<std::uint32_t>(first >> (lane % 4 * 2)),
               static_cast<std::uint32_t>(first >> (lane % 4 * 2) >> 32U)},
              {static_cast<std::uint32_t>(second >> (lane % 4 * 2)),
               static_cast<std::uint32_t>(second >> (lane % 4 * 2) >> 32U)}} {}
  __device__ bool has(int row, int t, int c) const {
    return (words[row][t / 4] & (1U << (t % 4 * 8 + c))) != 0;
  }
};

// What decides beside the mask: nothing, a window or a list of blocks. Each has kernels of its own:
// the arithmetic of block lists takes registers that windows can do without.
enum class Seeing : std::uint8_t { mask, window, blocks };

template <Seeing kSeeing>
struct TileSight {
  static constexpr bool kWindow = kSeeing == Seeing::window;
  static constexpr bool kBlocks = kSeeing == Seeing::blocks;
  const Sentence& sentence;
  int before = 0, after = 0;  // of the window

  __device__ explicit TileSight(const Sentence& of) : sentence(of) {
    if (kWindow) {
      before = static_cast<int>(min(of.pattern->before, std::int64_t{kFar}));
      after = static_cast<int>(min(of.pattern->after, std::int64_t{kFar}));
    }
  }

  // The keys that queries first … last see lie in tiles from key_begin() to before key_end().
  __device__ int key_begin(int first, int last) const {
    const int begin = kWindow ? max(first - before, 0) / kSightRows * kSightRows : 0;
    return next_keys(first, last, begin);
  }
  __device__ int key_end(int last) const {
    const int end = sentence.visible(last);
    return kWindow ? min(end, last + after + 1) : end;
  }
  // The first tile from j0 on with a key that one of the queries sees, or one after key_end().
  __device__ int next_keys(int first, int last, int j0) const {
    if (kBlocks) {
      const int end = key_end(last);
      while (j0 < end && !sentence.some_see(first, last, j0, min(j0 + kSightRows, end) - 1)) {
        j0 += kSightRows;
      }
    }
    return j0;
  }
  __device__ bool all_see_keys(int first, int last, int j0) const {
    return j0 + kSightRows <= sentence.visible(first) &&
           (kSeeing == Seeing::mask || pattern_has_all(first, last, j0, j0 + kSightRows - 1));
  }
  // Which of keys j0 … j0 + 63 query i sees.
  __device__ std::uint64_t keys_of(int i, int j0) const {
    if (i >= sentence.queries) {
      return 0;
    }
    const int visible = sentence.visible(i);
    if (kWindow) {
      return bits_between(i - before - j0, min(visible, i + after + 1) - j0);
    }
    const std::uint64_t seen = bits_between(0, visible - j0);
    if (!kBlocks) {
      return seen;
    }
    return seen & listed(i, j0, [](auto own, auto other) { return BlockPair{own, other}; });
  }

  // The same of the queries that see keys first … last.
  __device__ int query_begin(int first, int last) const {
    const int mask = sentence.first_seeing(first);
    const int begin = kWindow ? max(mask, first - after) : mask;
    return next_queries(first, last, begin / kSightRows * kSightRows);
  }
  __device__ int query_end(int last) const {
    return kWindow ? min(sentence.queries, last + before + 1) : sentence.queries;
  }
  __device__ int next_queries(int first, int last, int i0) const {
    if (kBlocks) {
      const int end = query_end(last);
      while (i0 < end && !sentence.some_see(i0, min(i0 + kSightRows, end) - 1, first, last)) {
        i0 += kSightRows;
      }
    }
    return i0;
  }
  __device__ bool all_queries_see(int first, int last, int i0) const {
    return i0 >= sentence.first_seeing(last) &&
           (kSeeing == Seeing::mask || pattern_has_all(i0, i0 + kSightRows - 1, first, last));
  }
  // Which of queries i0 … i0 + 63 see key j. Those that are not there may.
  __device__ std::uint64_t queries_of(int j, int i0) const {
    const int first = sentence.first_seeing(j);
    if (kWindow) {
      return bits_between(max(first, j - after) - i0, j + before + 1 - i0);
    }
    const std::uint64_t seeing = bits_between(first - i0, kSightRows);
    if (!kBlocks) {
      return seeing;
    }
    return seeing & listed(j, i0, [](auto own, auto other) { return BlockPair{other, own}; });
  }

 private:
  static constexpr int kFar = 1 << 30;
  struct BlockPair {
    std::int64_t query, key;
  };

  __device__ std::int64_t blocks() const {
    const std::int64_t block = sentence.pattern->block;
    return (sentence.keys + block - 1) / block;
  }
  __device__ bool pattern_has_all(int first, int last, int begin, int end) const {
    if (!kBlocks) {
      return begin >= last - before && end <= first + after;
    }
    const std::int64_t block = sentence.pattern->block;
    for (std::int64_t a = first / block; a <= last / block; ++a) {
      for (std::int64_t b = begin / block; b <= end / block; ++b) {
        if (!sentence.pattern->lists(a, b, blocks())) {
          return false;
        }
      }
    }
    return true;
  }
  // Which of 64 tokens are in blocks that are listed with the block of the token `own`.
  template <class Pair>
  __device__ std::uint64_t listed(int own, int first, const Pair& pair) const {
    const std::int64_t block = sentence.pattern->block;
    std::uint64_t bits = 0;
    for (std::int64_t b = first / block; b * block < first + kSightRows; ++b) {
      const BlockPair at = pair(own / block, b);
      if (sentence.pattern->lists(at.query, at.key, blocks())) {
        const std::int64_t begin = max(b * block - first, std::int64_t{0});
        const std::int64_t end = min((b + 1) * block - first, std::int64_t{kSightRows});
        bits |= bits_between(static_cast<int>(begin), static_cast<int>(end));
      }
    }
    return bits;
  }
};

}  // namespace yona::cuda
