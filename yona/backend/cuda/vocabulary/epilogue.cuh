// Epilogue of the products of vocabulary/product.cuh and vocabulary/product_deep.cuh. A warpgroup
// has 64 rows of 128 or 256 logits in registers: they go to memory through a staging buffer and
// TMA, together with statistics of every row's 128 columns.
#pragma once

#include <cuda_bf16.h>
#include <type_traits>

#include "yona/backend/cuda/common/quad.cuh"
#include "yona/backend/cuda/gemm/wgmma.cuh"

namespace yona::cuda {

// Numbers of the kernel that the host needs too.
struct VocabularyTile {
  static constexpr int kRows = 128;  // of a block's tiles, half of them to each consumer
  static constexpr int kCols = 128;  // and of a slice of statistics
  static constexpr int kDepth = 64;  // of a stage
  static constexpr int kSteps = 8;   // 512 deep
  static constexpr int kThreads = 3 * hopper::kWarpgroup;
  static constexpr int kStageBytes = kRows * kDepth * 2;
  static constexpr int kConsumerRows = kRows / 2;
  // Results leave in pieces whose rows are 128 bytes.
  static constexpr int kPieceRows = kConsumerRows;
  static constexpr int kPieceBytes = kPieceRows * 128;
};

// What is written: f32 logits, or exponentials 2^(log2(e) (logit - shift) - kVocabularyScale) as
// bf16. A row with a sum of kVocabularyTooMuch or more, up to infinity, has to be done again with
// another shift (vocabulary/loss.cuh); the exponentials of other rows are right.
struct VocabularyExponentials {};
constexpr float kVocabularyScale = 60.0F;
constexpr float kVocabularyTooMuch = 0x1p79F;

struct VocabularyProblem {
  const float* shifts = nullptr;  // [rows], of exponentials
  // Slices lie one after another, rows of a slice together: [slices, stride].
  float2* tops = nullptr;  // of logits: the largest, Σ exp(logit - largest)
  float* sums = nullptr;   // Σ of the exponentials, before they are rounded
  std::int64_t stride = 0;
  int rows = 0;
  int cols = 0;   // columns beyond do not count, and their exponentials are zero
  int depth = 0;  // for the deep product to know
  int run = 8;    // tiles of the same rows that a block of the other one computes one after another
};

namespace vocabulary {

#ifdef YONA_HOPPER

constexpr float kLog2OfE = 1.4426950408889634F;

__device__ inline float exp2_fast(float x) {
  float y = 0.0F;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

// The thread's part of a tile: rows `first` and first + 8 of the matrix, and in each of them 16 or
// 32 pairs of neighbouring columns, 8 columns apart.
struct TilePart {
  int lane = 0, warp = 0;  // of the warpgroup
  int first = 0;
  int col = 0;  // of the tile

  __device__ int quarter() const { return lane % 4; }
  __device__ bool there(const VocabularyProblem& p, int half) const {
    return first + 8 * half < p.rows;
  }
  __device__ bool valid(const VocabularyProblem& p, int pair, int e) const {
    return col + 8 * pair + 2 * quarter() + e < p.cols;
  }
  __device__ std::int64_t statistic(const VocabularyProblem& p, int half) const {
    return col / VocabularyTile::kCols * p.stride + first + 8 * half;
  }
};

// What is subtracted from a row's logits before exp2; zero for rows beyond.
__device__ inline void load_shifts(const VocabularyProblem& p, const TilePart& part,
                                   float (&shift)[2]) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    shift[half] = part.there(p, half)
                      ? fmaf(-p.shifts[part.first + 8 * half], kLog2OfE, -kVocabularyScale)
                      : 0.0F;
  }
}

// Where a warp's 16 rows of a piece, 64 columns, are in shared memory. Lane l gives the address of
// row l % 8 of matrix l / 8: both halves of eight columns, then of the next eight.
struct MatrixRows {
  std::uint32_t at = 0;
  int swizzle = 0;

  __device__ MatrixRows(std::uint32_t piece, int lane)
      : at(piece + (lane / 8 % 2 * 8 + lane % 8) * 128 + ((lane / 16) ^ lane % 2) * 16),
        swizzle(lane % 8 / 2 * 32) {}
  __device__ std::uint32_t of(int pair) const { return at + ((pair % 8 * 16) ^ swizzle); }
};

// Exponentials of the 64 columns from pair `first` on, rounded, to shared memory; `sums` are those
// of both rows, each of two parts.
template <bool kCut, int kSums>
__device__ inline void finish_piece(const VocabularyProblem& p, const TilePart& part,
                                    const float (&logits)[kSums], int first,
                                    const float (&shift)[2], float (&sums)[2][2],
                                    const MatrixRows& to) {
#pragma unroll
  for (int pair = first; pair < first + 8; pair += 2) {
    std::uint32_t words[4];
#pragma unroll
    for (int m = 0; m < 4; ++m) {
      const int half = m % 2;
      float u[2];
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        u[e] = exp2_fast(fmaf(logits[4 * (pair + m / 2) + 2 * half + e], kLog2OfE, shift[half]));
        if constexpr (kCut) {
          u[e] = part.valid(p, pair + m / 2, e) ? u[e] : 0.0F;
        }
        sums[half][e] += u[e];
      }
      const __nv_bfloat162 rounded = __floats2bfloat162_rn(u[0], u[1]);
      words[m] = *reinterpret_cast<const std::uint32_t*>(&rounded);
    }
    hopper::store_matrices(to.of(pair), words[0], words[1], words[2], words[3]);
  }
}

// The sums of a slice of 128 columns, the first of which is the part's.
__device__ inline void leave_sums(const VocabularyProblem& p, const TilePart& part,
                                  const float (&sums)[2][2]) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const float sum = quad_sum(sums[half][0] + sums[half][1]);
    if (part.quarter() == 0 && part.there(p, half)) {
      p.sums[part.statistic(p, half)] = sum;
    }
  }
}

// Exponentials of two rows to shared memory, and their sums. `shift` is for exp2.
template <bool kCut>
__device__ void finish(const VocabularyExponentials&, const VocabularyProblem& p,
                       const TilePart& part, const float (&logits)[64], const float (&shift)[2],
                       std::uint32_t to) {
  to += part.warp * 16 * 128;
  float sums[2][2] = {};
#pragma unroll
  for (int piece = 0; piece < 2; ++piece) {
    finish_piece<kCut>(p, part, logits, 8 * piece, shift, sums,
                       MatrixRows(to + piece * VocabularyTile::kPieceBytes, part.lane));
  }
  leave_sums(p, part, sums);
}

// Logits of two rows to shared memory, and the slice's largest and Σexp.
template <bool kCut>
__device__ void finish(const float&, const VocabularyProblem& p, const TilePart& part,
                       const float (&logits)[64], const float (&)[2], std::uint32_t to) {
  const int row = part.lane / 4;
  const int quarter = part.quarter();
  to += (part.warp * 16 + row) * 128 + ((quarter / 2) ^ row % 2) * 16 + quarter % 2 * 8;
  const int swizzle = row / 2 * 32;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    float largest = -INFINITY;
#pragma unroll
    for (int pair = 0; pair < 16; ++pair) {
      const float x = logits[4 * pair + 2 * half];
      const float y = logits[4 * pair + 2 * half + 1];
      const std::uint32_t at = to + pair / 4 * VocabularyTile::kPieceBytes + half * 8 * 128 +
                               ((pair % 4 * 32) ^ swizzle);
      asm volatile("st.shared.v2.f32 [%0], {%1, %2};" ::"r"(at), "f"(x), "f"(y) : "memory");
      if constexpr (kCut) {
        largest = fmaxf(largest, part.valid(p, pair, 0) ? x : -INFINITY);
        largest = fmaxf(largest, part.valid(p, pair, 1) ? y : -INFINITY);
      } else {
        largest = fmaxf(largest, fmaxf(x, y));
      }
    }
    largest = quad_max(largest);
    const float shift = largest == -INFINITY ? 0.0F : -largest * kLog2OfE;
    float exponentials[2] = {};
#pragma unroll
    for (int pair = 0; pair < 16; ++pair) {
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        const float power = exp2_fast(fmaf(logits[4 * pair + 2 * half + e], kLog2OfE, shift));
        exponentials[e] += !kCut || part.valid(p, pair, e) ? power : 0.0F;
      }
    }
    const float sum = quad_sum(exponentials[0] + exponentials[1]);
    if (part.quarter() == 0 && part.there(p, half)) {
      p.tops[part.statistic(p, half)] = make_float2(largest, sum);
    }
  }
}

#endif  // YONA_HOPPER

}  // namespace vocabulary

}  // namespace yona::cuda
