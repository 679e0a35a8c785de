// Attention over short sentences (attention/short.cuh): the rows of a head in shared memory, and
// the products of 32 rows to a warp.
//
// Products are mma.m16n8k16, whose operands are chosen so that memory is touched 16 bytes at a time
// everywhere. With r = lane / 4 and c = lane % 4, of a row of D = 64 channels in eight pieces of 16
// bytes:
//   scores sum over channels, in any order: a lane has pieces c and c + 4 of its rows, and takes
//   their words in turn for what would be channels 2c, 2c + 1 and 2c + 8, 2c + 9 of each step;
//   sums over rows have a lane take piece r / 2 + 4 (r % 2) of rows 2c, 2c + 1, 2c + 8, 2c + 9:
//   column r of tile t is channel t of that piece. Of the results a lane then has all channels of
//   pieces c and c + 4.
// A row of 32 channels has four pieces: c is a lane's for scores, half of r / 2 for sums.
#pragma once

#include "yona/backend/cuda/attention/mma.cuh"

namespace yona::cuda {

constexpr int kShortRows = 32;    // of a warp
constexpr int kShortStride = 64;  // of rows in shared memory
constexpr int kShortTile = kShortRows * kShortStride;

// Pieces of 16 bytes lie in a row of shared memory in an order that depends on the row: neither
// rows nor columns of pieces, nor what products ask for, then meet a bank twice.
__device__ inline int short_turn(int row) { return (row / 2 % 4) | (row % 2 * 4); }
__device__ inline int short_place(int row, int piece) {
  return row * kShortStride + (piece ^ short_turn(row)) * kPack;
}

struct ShortLane {
  int lane, row, column;
  int words;   // where piece `column` of row `row` is in shared memory; piece + 4 is at words ^ 32
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

// scores[m][n] = rows 16m … of `own` · (rows 8n … of a tile)ᵀ. Of each, this lane has rows r and
// r + 8, and columns 2c and 2c + 1.
template <int D, int kM, int kN>
__device__ void score_tile(const RowWords<D>* own, const bf16* tile, const ShortLane& at,
                           float (&scores)[kM][kN][4]) {
#pragma unroll
  for (int n = 0; n < kN; ++n) {
    RowWords<D> other;
    load_words<D>(tile + 8 * n * kShortStride, at, other);
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
}

// What has the layout of scores as left operand of sums over columns, 16 to a step.
template <int kM, int kN>
__device__ void pack_scores(const float (&scores)[kM][kN][4],
                            std::uint32_t (&left)[kN / 2][kM][4]) {
#pragma unroll
  for (int m = 0; m < kM; ++m) {
#pragma unroll
    for (int n = 0; n < kN; ++n) {
      left[n / 2][m][n % 2 * 2] = pack_bf16(scores[m][n][0], scores[m][n][1]);
      left[n / 2][m][n % 2 * 2 + 1] = pack_bf16(scores[m][n][2], scores[m][n][3]);
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

// sums[m] += left[m] · the 16 rows.
template <int D, int kM>
__device__ void add_products(const std::uint32_t (&left)[kM][4], const bf16* rows,
                             const ShortLane& at, ShortSums<D> (&sums)[kM]) {
  std::uint32_t words[4][D / 16];  // this lane's of rows 2c, 2c + 1, 2c + 8, 2c + 9
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

}  // namespace yona::cuda
