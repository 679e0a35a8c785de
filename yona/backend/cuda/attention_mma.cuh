// Attention with tensor cores, for bf16 and heads of 32 or 64 channels: what forward and backward
// share. A warp takes 16 rows of one head; a block takes the same rows of up to eight heads,
// because one Philox block decides the dropout of a weight for eight heads: the block computes it
// once.
//
// Products are mma.m16n8k16. The 16 rows that a warp owns are the left operand, in registers; 32
// rows of the other side are staged in shared memory, and serve as right operand twice: as they are
// (scores: own · otherᵀ) and through ldmatrix's transposition (sums: weights · other).
#pragma once

#include "yona/backend/cuda/attention.cuh"

namespace yona::cuda {

constexpr int kOwnRows = 16;
constexpr int kOtherRows = 32;
constexpr int kScoreTiles = kOtherRows / 8;  // of 8 columns
constexpr int kHeadGroup = 8;

template <int D>
struct MmaHead {
  static constexpr int kStride = D + 8;  // of rows in shared memory: ldmatrix meets no bank twice
  static constexpr int kDepth = D / 16;  // steps of a sum over channels
  static constexpr int kTiles = D / 8;   // of 8 channels
  static constexpr int kTile = kOtherRows * kStride;
};

// A 16×16 left operand for each step over channels.
template <int D>
using OwnRows = std::uint32_t[MmaHead<D>::kDepth][4];

__device__ inline std::uint32_t pack_bf16(float low, float high) {
  const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
  return *reinterpret_cast<const std::uint32_t*>(&pair);
}

// c += a · b.
__device__ inline void mma(float (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                           std::uint32_t b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__device__ inline void ldmatrix(std::uint32_t (&r)[4], const bf16* row) {
  const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(address)
               : "memory");
}

__device__ inline void ldmatrix_transposed(std::uint32_t (&r)[4], const bf16* row) {
  const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(address)
               : "memory");
}

// Rows `first` and on, `count` of them, of one head as left operand; the others are zero.
template <int D>
__device__ void load_own(const Rows<bf16>& from, std::int64_t first, int count, int head,
                         OwnRows<D>& own) {
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int row = lane / 4 + 8 * half;
    const bf16* source = from.row(first + row) + head * D + lane % 4 * 2;
#pragma unroll
    for (int step = 0; step < MmaHead<D>::kDepth; ++step) {
      const bool there = row < count;
      own[step][half] = there ? *reinterpret_cast<const std::uint32_t*>(source + 16 * step) : 0U;
      own[step][half + 2] =
          there ? *reinterpret_cast<const std::uint32_t*>(source + 16 * step + 8) : 0U;
    }
  }
}

// Rows `first` and on, `count` of them, of one head into this warp's tile; the others are zero.
template <int D>
__device__ void stage(const Rows<bf16>& from, std::int64_t first, int count, int head, bf16* tile) {
  constexpr int kPieces = D / 8;  // of 16 bytes, in a row
  constexpr int kAtOnce = kLanes / kPieces;
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const int piece = lane % kPieces * 8;
#pragma unroll
  for (int r = 0; r < kOtherRows; r += kAtOnce) {
    const int row = r + lane / kPieces;
    uint4 words = make_uint4(0, 0, 0, 0);
    if (row < count) {
      words = *reinterpret_cast<const uint4*>(from.row(first + row) + head * D + piece);
    }
    *reinterpret_cast<uint4*>(tile + row * MmaHead<D>::kStride + piece) = words;
  }
}

// scores[t] = own · (rows 8t … 8t+7 of the tile)ᵀ. In tile t, this lane has own rows lane/4 and
// lane/4 + 8 and the tile's rows 8t + 2·(lane%4) and the next.
template <int D>
__device__ void score_tile(const OwnRows<D>& own, const bf16* tile,
                           float (&scores)[kScoreTiles][4]) {
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
#pragma unroll
  for (int t = 0; t < kScoreTiles; ++t) {
    scores[t][0] = scores[t][1] = scores[t][2] = scores[t][3] = 0.0F;
    const bf16* row = tile + (8 * t + lane % 8) * MmaHead<D>::kStride + lane / 8 * 8;
#pragma unroll
    for (int step = 0; step < MmaHead<D>::kDepth; step += 2) {
      std::uint32_t b[4];
      ldmatrix(b, row + 16 * step);
      mma(scores[t], own[step], b[0], b[1]);
      mma(scores[t], own[step + 1], b[2], b[3]);
    }
  }
}

// sums += weights · tile, with weights laid out as scores are.
template <int D>
__device__ void add_tile(const float (&weights)[kScoreTiles][4], const bf16* tile,
                         float (&sums)[MmaHead<D>::kTiles][4]) {
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
#pragma unroll
  for (int step = 0; step < kOtherRows / 16; ++step) {
    const std::uint32_t a[4] = {pack_bf16(weights[2 * step][0], weights[2 * step][1]),
                                pack_bf16(weights[2 * step][2], weights[2 * step][3]),
                                pack_bf16(weights[2 * step + 1][0], weights[2 * step + 1][1]),
                                pack_bf16(weights[2 * step + 1][2], weights[2 * step + 1][3])};
    const bf16* row =
        tile + (16 * step + lane / 8 % 2 * 8 + lane % 8) * MmaHead<D>::kStride + lane / 16 * 8;
#pragma unroll
    for (int t = 0; t < MmaHead<D>::kTiles; t += 2) {
      std::uint32_t b[4];
      ldmatrix_transposed(b, row + 8 * t);
      mma(sums[t], a, b[0], b[1]);
      mma(sums[t + 1], a, b[2], b[3]);
    }
  }
}

// The block's dropout decisions: bit h of kept[own · 32 + other] keeps the weight for head h of the
// group. `queries_own` says which side the queries are.
template <bool kQueriesOwn>
__device__ void decide_dropout(const AttentionProblem<bf16>& p, const Sentence& sentence, int own0,
                               int other0, std::uint8_t* kept) {
  for (int item = static_cast<int>(threadIdx.x); item < kOwnRows * kOtherRows;
       item += static_cast<int>(blockDim.x)) {
    const int own = own0 + item / kOtherRows;
    const int other = other0 + item % kOtherRows;
    const int i = kQueriesOwn ? own : other;
    const int j = kQueriesOwn ? other : own;
    std::uint32_t bits = 0;
    if (i < sentence.queries && j < sentence.visible(i)) {
      const uint4 words =
          dropout_words(p.dropout, static_cast<std::uint32_t>(j),
                        p.q_keys[sentence.first_query + i], static_cast<std::uint32_t>(blockIdx.y));
      bits = kept_lanes(words, p.dropout.threshold);
    }
    kept[item] = static_cast<std::uint8_t>(bits);
  }
}

// Writes (or adds) the own rows' sums, times `factor[half]` for rows lane/4 + 8·half.
template <int D>
__device__ void put_own(const Rows<bf16>& to, std::int64_t first, int count, int head,
                        const float (&sums)[MmaHead<D>::kTiles][4], const float (&factor)[2],
                        bool accumulate) {
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int row = lane / 4 + 8 * half;
    if (row >= count) {
      continue;
    }
    bf16* target = to.row(first + row) + head * D + lane % 4 * 2;
#pragma unroll
    for (int t = 0; t < MmaHead<D>::kTiles; ++t) {
      auto* place = reinterpret_cast<std::uint32_t*>(target + 8 * t);
      float low = sums[t][2 * half] * factor[half];
      float high = sums[t][2 * half + 1] * factor[half];
      if (accumulate) {
        const std::uint32_t there = *place;
        low += __uint_as_float(there << 16U);
        high += __uint_as_float(there & 0xFFFF0000U);
      }
      *place = pack_bf16(low, high);
    }
  }
}

// Is this a problem for these kernels? Every row must begin at a multiple of 16 bytes.
bool mma_fits(const AttentionArgs& args);
bool mma_fits(const AttentionBackwardArgs& args);

void launch_attention_mma(const AttentionArgs& args, cudaStream_t stream);
void launch_attention_backward_mma(const AttentionBackwardArgs& args, const float* delta,
                                   cudaStream_t stream);

}  // namespace yona::cuda
