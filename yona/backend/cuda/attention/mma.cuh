// Attention with tensor cores, for bf16 and heads of 32 or 64 channels: what all such kernels
// share.
//
// Products are mma.m16n8k16. The 16 rows that a warp owns are the left operand; 32 rows of the
// other side are in shared memory, and serve as right operand twice: as they are (scores: own ·
// otherᵀ) and through ldmatrix's transposition (sums: weights · other).
//
// Sentences of up to 64 tokens are the kernels' of attention/short.cuh, longer ones those of
// attention/mma_tiled.cuh, or on Hopper those of attention/wgmma_tiled.cuh. What is made of scores
// is in attention/mma_weights.cuh.
#pragma once

#include "yona/backend/cuda/attention/problem.cuh"
#include "yona/backend/cuda/common/bf16_pair.cuh"

namespace yona::cuda {

constexpr int kOwnRows = 16;
constexpr int kOtherRows = 32;
constexpr int kScoreTiles = kOtherRows / 8;  // of 8 columns
constexpr int kHeadGroup = 8;                // heads that share a Philox block
constexpr int kLongestShort = 64;

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

// The largest and the sum over the four lanes that share a row.
__device__ inline float row_max(float x) {
  x = fmaxf(x, __shfl_xor_sync(0xFFFFFFFFU, x, 1));
  return fmaxf(x, __shfl_xor_sync(0xFFFFFFFFU, x, 2));
}
__device__ inline float row_sum(float x) {
  x += __shfl_xor_sync(0xFFFFFFFFU, x, 1);
  return x + __shfl_xor_sync(0xFFFFFFFFU, x, 2);
}

// Begins to copy rows `first` … of one head, `count` of kRows, into a tile; the others become zero.
template <int D, int kRows = kOwnRows>
__device__ void stage_async(const Rows<bf16>& from, std::int64_t first, int count, int head,
                            bf16* tile) {
  constexpr int kPieces = D / 8;  // of 16 bytes, in a row
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const int piece = lane % kPieces * 8;
#pragma unroll
  for (int r = 0; r < kRows; r += kLanes / kPieces) {
    const int row = r + lane / kPieces;
    const bf16* source = row < count ? from.row(first + row) + head * D + piece : from.data;
    const auto to = static_cast<std::uint32_t>(
        __cvta_generic_to_shared(tile + row * MmaHead<D>::kStride + piece));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(source),
                 "r"(row < count ? 16 : 0)
                 : "memory");
  }
}

// Begins to copy one word; where it is not there, a zero.
__device__ inline void stage_word_async(const void* from, bool there, void* to) {
  const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(to));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(address), "l"(from),
               "r"(there ? 4 : 0)
               : "memory");
}

__device__ inline void wait_for_copies() { asm volatile("cp.async.wait_all;" ::: "memory"); }

// 16 rows in shared memory as left operand.
template <int D>
__device__ void load_own(const bf16* tile, OwnRows<D>& own) {
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const bf16* row = tile + lane % 16 * MmaHead<D>::kStride + lane / 16 * 8;
#pragma unroll
  for (int step = 0; step < MmaHead<D>::kDepth; ++step) {
    ldmatrix(own[step], row + 16 * step);
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

// Four lanes hold word `lane % 4` of each of four blocks of four words; afterwards each holds all
// words of block `lane % 4`.
__device__ inline uint4 gather_block(const std::uint32_t (&w)[4]) {
  const int lane = static_cast<int>(threadIdx.x) % 4;
  const bool odd = lane % 2 != 0;
  const bool high = lane / 2 != 0;
  const std::uint32_t a = __shfl_xor_sync(0xFFFFFFFFU, odd ? w[0] : w[1], 1);
  const std::uint32_t b = __shfl_xor_sync(0xFFFFFFFFU, odd ? w[2] : w[3], 1);
  const std::uint32_t x[2] = {odd ? a : w[0], odd ? w[1] : a};  // of block 0 or 1
  const std::uint32_t y[2] = {odd ? b : w[2], odd ? w[3] : b};  // of block 2 or 3
  const std::uint32_t c = __shfl_xor_sync(0xFFFFFFFFU, high ? x[0] : y[0], 2);
  const std::uint32_t d = __shfl_xor_sync(0xFFFFFFFFU, high ? x[1] : y[1], 2);
  return high ? make_uint4(c, d, y[0], y[1]) : make_uint4(x[0], x[1], c, d);
}

// Writes (or adds) 16 rows of sums, times factor[half] for rows lane/4 + 8·half, 64 bytes at a
// time.
template <int D>
__device__ void put_rows(const Rows<bf16>& to, std::int64_t first, int count, int head,
                         const float (&sums)[MmaHead<D>::kTiles][4], const float (&factor)[2],
                         bool accumulate) {
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int row = lane / 4 + 8 * half;
#pragma unroll
    for (int t = 0; t < MmaHead<D>::kTiles; t += 4) {
      std::uint32_t words[4];
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        words[k] = pack_bf16(sums[t + k][2 * half] * factor[half],
                             sums[t + k][2 * half + 1] * factor[half]);
      }
      const uint4 block = gather_block(words);
      if (row >= count) {
        continue;
      }
      bf16* target = to.row(first + row) + head * D + 8 * (t + lane % 4);
      if (accumulate) {
        float sum[kPack];
        float there[kPack];
        load8(reinterpret_cast<const bf16*>(&block), sum);
        load8(target, there);
#pragma unroll
        for (int i = 0; i < kPack; ++i) {
          sum[i] += there[i];
        }
        store8(target, sum);
      } else {
        *reinterpret_cast<uint4*>(target) = block;
      }
    }
  }
}

// Is this a problem for these kernels? Every row must begin at a multiple of 16 bytes.
bool mma_fits(const AttentionArgs& args);
bool mma_fits(const AttentionBackwardArgs& args);

// The sentences of up to kLongestShort tokens, and the others. The keep mask of the latter is made
// by make_keep_mask() (attention/mma_tiled.cuh).
struct GradientPartials;
struct KeepMask;
void launch_attention_short(const AttentionArgs& args, cudaStream_t stream);
void launch_attention_mma_tiled(const AttentionArgs& args, const KeepMask& keep_mask,
                                cudaStream_t stream);
// Does a block's shared memory suffice on this GPU?
bool short_backward_fits(const AttentionArgs& args);
void launch_attention_backward_short(const AttentionBackwardArgs& args,
                                     const GradientPartials& partials, cudaStream_t stream);
// Takes attention_backward_mma_tiled_bytes() of scratch memory.
void launch_attention_backward_mma_tiled(const AttentionBackwardArgs& args,
                                         const GradientPartials& partials, CudaExec& exec);
std::int64_t attention_backward_mma_tiled_bytes(const AttentionArgs& args);

}  // namespace yona::cuda
