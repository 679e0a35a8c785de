// Attention with tensor cores for sentences of up to 64 tokens, the common case of translation: a
// block takes one sentence and a few heads, reads every row once, and keeps all of them in shared
// memory, forward and backward. What both share.
//
// With room for R rows (32 or 64), a warp takes 32 rows of one head, R/32 warps a head, and a block
// H heads. Products are mma.m16n8k16, whose operands are chosen so that memory is touched 16 bytes
// at a time everywhere. With r = lane / 4 and c = lane % 4, of a row of D = 64 channels in eight
// pieces of 16 bytes:
//   scores sum over channels, in any order: a lane has pieces c and c + 4 of its rows, and takes
//   their words in turn for what would be channels 2c, 2c + 1 and 2c + 8, 2c + 9 of each step;
//   sums over rows have a lane take piece r / 2 + 4 (r % 2) of rows 2c, 2c + 1, 2c + 8, 2c + 9:
//   column r of tile t is channel t of that piece. Of the results a lane then has all channels of
//   pieces c and c + 4.
#pragma once

#include <type_traits>

#include "yona/backend/cuda/attention_mma_weights.cuh"

namespace yona::cuda {

constexpr int kShortRows = 32;    // of a warp
constexpr int kShortest = 32;     // room of the smaller blocks
constexpr int kShortStride = 64;  // of rows in shared memory
constexpr int kShortTile = kShortRows * kShortStride;

// The place of this warp, with room for R rows of each of H heads.
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

// Pieces of 16 bytes lie in a row of shared memory in an order that depends on the row: neither
// rows nor columns of pieces, nor what products ask for, then meet a bank twice.
__device__ inline int short_turn(int row) { return (row / 2 % 4) | (row % 2 * 4); }
__device__ inline int short_place(int row, int piece) {
  return row * kShortStride + (piece ^ short_turn(row)) * kPack;
}

struct ShortLane {
  int lane, row, column;
  int words;   // where pieces `column` of row `row` is in shared memory; piece + 4 is at words ^ 32
  int pairs;   // where its piece of row 2 · column is; that of the next row is at pairs ^ 96
  int scores;  // where its two scores of row `row` are, of columns 8n …, is scores ^ 8n

  template <int D>
  __device__ static ShortLane of() {
    ShortLane at;
    at.lane = static_cast<int>(threadIdx.x) % kLanes;
    at.row = at.lane / 4;
    at.column = at.lane % 4;
    at.words = short_place(at.row, at.column);
    at.pairs = D == 64 ? short_place(2 * at.column, at.row / 2 + at.row % 2 * 4)
                       : short_place(2 * at.column, at.row / 2) + at.row % 2 * 4;
    at.scores = short_place(at.row, 0) + 2 * at.column;
    return at;
  }
};

// This lane's words of a row, as operand of scores.
template <int D>
using RowWords = std::uint32_t[D / 8];

// This lane's words of 16 rows, as operand of sums over rows: of rows 2c, 2c + 1, 2c + 8, 2c + 9.
template <int D>
using PairWords = std::uint32_t[4][D / 16];

__device__ inline void unpack_words(const uint4& from, std::uint32_t* to) {
  to[0] = from.x, to[1] = from.y, to[2] = from.z, to[3] = from.w;
}

// Of the eight rows of which `rows` is the first, in shared memory.
template <int D>
__device__ void load_words(const bf16* rows, const ShortLane& at, RowWords<D>& words) {
  unpack_words(*reinterpret_cast<const uint4*>(rows + at.words), words);
  if constexpr (D == 64) {
    unpack_words(*reinterpret_cast<const uint4*>(rows + (at.words ^ 32)), words + 4);
  }
}

// Of 32 rows in memory, `count` of which are there.
template <int D>
__device__ void read_words(const Rows<bf16>& from, std::int64_t first, int count, int head,
                           const ShortLane& at, RowWords<D> (&words)[4]) {
  const bf16* row = from.row(first + at.row) + head * D + at.column * kPack;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const bool there = 8 * i + at.row < count;
#pragma unroll
    for (int half = 0; half < D / 32; ++half) {
      uint4 piece = make_uint4(0, 0, 0, 0);
      if (there) {
        piece = *reinterpret_cast<const uint4*>(row + 8 * i * from.stride + 32 * half);
      }
      unpack_words(piece, words[i] + 4 * half);
    }
  }
}

// Of 32 rows in memory, what load_pairs() gives.
template <int D>
__device__ void read_pairs(const Rows<bf16>& from, std::int64_t first, int count, int head,
                           const ShortLane& at, PairWords<D> (&words)[2]) {
  static_assert(D == 64);
  const bf16* row =
      from.row(first + 2 * at.column) + head * D + (at.row / 2 + at.row % 2 * 4) * kPack;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const int r = i / 2 * 8 + i % 2;
    uint4 piece = make_uint4(0, 0, 0, 0);
    if (r + 2 * at.column < count) {
      piece = *reinterpret_cast<const uint4*>(row + r * from.stride);
    }
    unpack_words(piece, words[i / 4][i % 4]);
  }
}

// Begins to copy 32 rows of one head, `count` of which are there, into a tile; the others become
// zero.
template <int D>
__device__ void stage_short(const Rows<bf16>& from, std::int64_t first, int count, int head,
                            bf16* tile) {
  constexpr int kPieces = D / kPack;
  constexpr int kAtOnce = kLanes / kPieces;
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const int piece = lane % kPieces;
  const bf16* source = from.row(first + lane / kPieces) + head * D + piece * kPack;
#pragma unroll
  for (int r = 0; r < kShortRows; r += kAtOnce) {
    const int row = r + lane / kPieces;
    const auto to =
        static_cast<std::uint32_t>(__cvta_generic_to_shared(tile + short_place(row, piece)));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to),
                 "l"(source + r * from.stride), "r"(row < count ? 16 : 0)
                 : "memory");
  }
}

// scores[m][n] = rows 16m … of `own` · (rows 8n … of the other side)ᵀ. Of each, this lane has rows
// r and r + 8, and columns 2c and 2c + 1.
template <int D, int kM, int kN>
__device__ void score_rows(const RowWords<D>* own, const RowWords<D>& other, int n,
                           float (&scores)[kM][kN][4]) {
#pragma unroll
  for (int m = 0; m < kM; ++m) {
    scores[m][n][0] = scores[m][n][1] = scores[m][n][2] = scores[m][n][3] = 0.0F;
#pragma unroll
    for (int w = 0; w < D / 8; w += 2) {
      const std::uint32_t a[4] = {own[2 * m][w], own[2 * m + 1][w], own[2 * m][w + 1],
                                  own[2 * m + 1][w + 1]};
      mma(scores[m][n], a, other[w], other[w + 1]);
    }
  }
}
template <int D, int kM, int kN>
__device__ void score_tile(const RowWords<D>* own, const bf16* tile, const ShortLane& at,
                           float (&scores)[kM][kN][4]) {
#pragma unroll
  for (int n = 0; n < kN; ++n) {
    RowWords<D> other;
    load_words<D>(tile + 8 * n * kShortStride, at, other);
    score_rows<D>(own, other, n, scores);
  }
}

// What has the layout of scores as left operand of sums over columns, 16 to a step.
template <int kM, int kN>
__device__ void pack_scores(const float (&scores)[kM][kN][4],
                            std::uint32_t (&left)[kM][kN / 2][4]) {
#pragma unroll
  for (int m = 0; m < kM; ++m) {
#pragma unroll
    for (int n = 0; n < kN; ++n) {
      left[m][n / 2][n % 2 * 2] = pack_bf16(scores[m][n][0], scores[m][n][1]);
      left[m][n / 2][n % 2 * 2 + 1] = pack_bf16(scores[m][n][2], scores[m][n][3]);
    }
  }
}

template <int D>
using ShortSums = float[D / 8][4];  // of 16 rows

__device__ inline std::uint32_t permute_bytes(std::uint32_t low, std::uint32_t high,
                                              std::uint32_t which) {
  std::uint32_t bytes = 0;
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(bytes) : "r"(low), "r"(high), "r"(which));
  return bytes;
}

template <int D>
__device__ void load_pairs(const bf16* rows, const ShortLane& at, PairWords<D>& words) {
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const bf16* row = rows + i / 2 * 8 * kShortStride + (at.pairs ^ (i % 2 * 96));
    if constexpr (D == 64) {
      unpack_words(*reinterpret_cast<const uint4*>(row), words[i]);
    } else {
      const uint2 pair = *reinterpret_cast<const uint2*>(row);
      words[i][0] = pair.x;
      words[i][1] = pair.y;
    }
  }
}

// sums[m] += left[m] · 16 rows.
template <int D, int kM>
__device__ void add_products(const std::uint32_t (&left)[kM][4], const PairWords<D>& words,
                             ShortSums<D> (&sums)[kM]) {
#pragma unroll
  for (int t = 0; t < D / 8; ++t) {
    const std::uint32_t which = t % 2 == 0 ? 0x5410U : 0x7632U;
    const std::uint32_t b0 = permute_bytes(words[0][t / 2], words[1][t / 2], which);
    const std::uint32_t b1 = permute_bytes(words[2][t / 2], words[3][t / 2], which);
#pragma unroll
    for (int m = 0; m < kM; ++m) {
      mma(sums[m][t], left[m], b0, b1);
    }
  }
}
template <int D, int kM>
__device__ void add_products(const std::uint32_t (&left)[kM][4], const bf16* rows,
                             const ShortLane& at, ShortSums<D> (&sums)[kM]) {
  PairWords<D> words;
  load_pairs<D>(rows, at, words);
  add_products<D>(left, words, sums);
}

// Writes (or adds) 16 rows of sums, times factor[half] for rows r + 8 · half.
template <int D>
__device__ void put_sums(const Rows<bf16>& to, std::int64_t first, int count, int head,
                         const ShortLane& at, const ShortSums<D>& sums, const float (&factor)[2],
                         bool accumulate) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    if (at.row + 8 * half >= count) {
      continue;
    }
    bf16* row = to.row(first + at.row + 8 * half) + head * D + at.column * kPack;
#pragma unroll
    for (int i = 0; i < D / 32; ++i) {
      float v[kPack];
#pragma unroll
      for (int t = 0; t < kPack; ++t) {
        v[t] = sums[t % (D / 8)][2 * half + (D == 64 ? i : t / 4)] * factor[half];
      }
      if (accumulate) {
        float there[kPack];
        load8(row + 32 * i, there);
#pragma unroll
        for (int t = 0; t < kPack; ++t) {
          v[t] += there[t];
        }
      }
      store8(row + 32 * i, v);
    }
  }
}

// The word of a Philox block for heads 2 · pair and the next of H, the first of which are those of
// word first_pair.
template <int H>
__device__ std::uint32_t pair_of(const uint4& block, int first_pair, int pair) {
  const std::uint32_t odd = H < 4 && first_pair % 2 != 0 ? ~0U : 0U;
  const std::uint32_t high = H < 8 && first_pair / 2 != 0 ? ~0U : 0U;
  if constexpr (H == 8) {
    return pair == 0 ? block.x : pair == 1 ? block.y : pair == 2 ? block.z : block.w;
  } else if constexpr (H == 4) {
    return pair == 0 ? (block.x & ~high) | (block.z & high) : (block.y & ~high) | (block.w & high);
  } else {
    const std::uint32_t x = (block.x & ~high) | (block.z & high);
    const std::uint32_t y = (block.y & ~high) | (block.w & high);
    return (x & ~odd) | (y & odd);
  }
}

// The dropout decisions of the sentence and the block's heads, in shared memory: of each 32 × 32
// scores of a head, a lane has 32 as score_rows() deals them, and for them a word. Bit
// 8n + 4m + 2·half + e is that of row 16m + 8·half + r and column 8n + 2c + e.
//
// A Philox block decides for eight heads, so that the warps of a head's 32 rows each find a part of
// the bits, those of all of the block's heads.
template <int R, int H>
struct ShortDecisions {
  static constexpr int kParts = R / kShortRows;
  static constexpr int kBits = 32 / H;
  std::uint32_t words[kParts][kParts][H][kLanes];  // by rows, columns and which bits

  template <bool kRowsAreQueries>
  __device__ void decide(const AttentionProblem<bf16>& p, const Sentence& sentence,
                         const ShortPlace<R, H>& place, const ShortLane& at) {
    const auto group = static_cast<std::uint32_t>(place.first_head / kHeadGroup);
    const int first_pair = place.first_head % kHeadGroup / 2;
    const int rows = kRowsAreQueries ? sentence.queries : sentence.keys;
    const int columns = kRowsAreQueries ? sentence.keys : sentence.queries;
    const std::uint32_t threshold = p.dropout.threshold << 16U;
    const std::uint64_t* keys = p.q_keys + sentence.first_query;
    const int last = sentence.queries - 1;
#pragma unroll
    for (int part = 0; part < kParts; ++part) {
      const int n = place.slot * kBits / 8;
      const int first_row = place.first + (kBits < 8 ? place.slot % 2 * 16 : 0);
      const int first_column = part * kShortRows + 8 * n;
      if (first_row >= rows || first_column >= columns) {
        continue;
      }
      std::uint32_t word = 0;
#pragma unroll
      for (int i = 0; i < kBits; ++i) {
        const int row = first_row + i / 4 % 2 * 16 + i / 2 % 2 * 8 + at.row;
        const int column = first_column + i / 8 * 8 + i % 2 + 2 * at.column;
        const int query = kRowsAreQueries ? row : column;
        const uint4 block =
            dropout_words(p.dropout, static_cast<std::uint32_t>(kRowsAreQueries ? column : row),
                          keys[min(query, last)], group);
#pragma unroll
        for (int pair = 0; pair < H / 2; ++pair) {
          const std::uint32_t two = pair_of<H>(block, first_pair, pair);
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
};

// Which sentences a batch has: blocks have room for 32 rows, or for what each needs.
enum class ShortLengths { to_32, to_64 };

// Blocks of a sentence: H heads to each, or H / 2 where sentences have room for 64 rows; they
// follow each other, so that rows of memory are read as a whole.
template <int H, ShortLengths kLengths>
int short_groups(const AttentionArgs& args) {
  return static_cast<int>(blocks_for(args.heads, kLengths == ShortLengths::to_32 ? H : H / 2));
}

// Calls function(std::integral_constant<int, R>, ShortPlace) for this block's sentence and heads,
// where there are any.
template <int H, ShortLengths kLengths, class Function>
__device__ void with_place(const AttentionProblem<bf16>& p, int groups, const Function& function) {
  const std::int64_t number = blockIdx.x / static_cast<unsigned>(groups);
  const int group = static_cast<int>(blockIdx.x % static_cast<unsigned>(groups));
  const Sentence sentence(p, number);
  const int length = max(sentence.queries, sentence.keys);
  if (length <= kShortest) {
    if (group * H < p.heads) {
      function(ShortPlace<kShortest, H>(number, group), sentence);
    }
  } else if (kLengths == ShortLengths::to_64 && length <= kLongestShort) {
    if constexpr (kLengths == ShortLengths::to_64) {
      function(ShortPlace<kLongestShort, H / 2>(number, group), sentence);
    }
  }
}

// Is it certain that no sentence is short? So it is where they are all of about one length.
inline bool all_are_long(const AttentionArgs& args) {
  const auto are_long = [&](std::int64_t tokens, std::int64_t longest) {
    return tokens > kLongestShort + (args.sentences - 1) * longest;
  };
  return are_long(args.q.rows, args.longest_q) || are_long(args.k.rows, args.longest_k);
}

// Calls function(std::integral_constant<int, D>, std::integral_constant<ShortLengths, …>).
template <class Function>
void with_short_sizes(const AttentionArgs& args, const Function& function) {
  if (all_are_long(args)) {
    return;
  }
  const auto with_lengths = [&](auto d) {
    if (args.longest_q <= kShortest && args.longest_k <= kShortest) {
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
