// What follows the product of vocabulary_product.cuh: logits go to memory out of registers, and of
// every row's 128 columns the largest, Σ exp(logit - largest) and Σ logit are left beside them.
#pragma once

#include <cuda_bf16.h>
#include <type_traits>

#include "yona/backend/cuda/wgmma.cuh"

namespace yona::cuda {

// Numbers of the kernel that the host needs too.
struct VocabularyTile {
  static constexpr int kRows = 128;  // of a block's tiles
  static constexpr int kCols = 128;  // and of a slice of statistics
  static constexpr int kDepth = 64;
  static constexpr int kSlots = 8;  // of the left operand: 512 deep
  static constexpr int kThreads = 3 * hopper::kWarpgroup;

  static constexpr int kLeftBytes = kRows * kDepth * 2;
  static constexpr int kRightBytes = kCols * kDepth * 2;
};

// Slices lie one after another, rows of a slice together: [slices, stride].
struct VocabularyStatistics {
  float2* powers = nullptr;  // the largest, Σ exp(logit - largest); or nothing
  float* sums = nullptr;     // Σ logit, or nothing
  std::int64_t stride = 0;
};

// What is written instead of logits where the loss wants powers: bf16.
struct VocabularyPowers {};

struct VocabularyProblem {
  void* logits = nullptr;   // or nothing
  std::int64_t stride = 0;  // of logits, elements
  VocabularyStatistics statistics;
  const float* shifts = nullptr;  // [rows], of powers
  int rows = 0;
  int cols = 0;   // that are written
  int valid = 0;  // the first of them, which statistics are of
  int depth = 0;
  int run = 8;  // tiles of the same rows that a block computes one after another
};

namespace vocabulary {

// How f32 logits are written: eight bytes to a lane, the same past the cache, or sixteen.
enum class Stores : std::uint8_t { pairs, streamed, wide };

#ifdef YONA_HOPPER

__device__ inline float quad_max(float x) {
  x = fmaxf(x, __shfl_xor_sync(0xFFFFFFFFU, x, 1));
  return fmaxf(x, __shfl_xor_sync(0xFFFFFFFFU, x, 2));
}
__device__ inline float quad_sum(float x) {
  x += __shfl_xor_sync(0xFFFFFFFFU, x, 1);
  return x + __shfl_xor_sync(0xFFFFFFFFU, x, 2);
}

__device__ inline float power_of_e(float x) {
  float y = 0.0F;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x * 1.4426950408889634F));
  return y;
}

// The lane's 32 logits of one row: 4 j … of 8 neighbouring columns are two of them.
struct RowPart {
  static constexpr int kPairs = 16;
  float values[2 * kPairs];

  // Columns that are not there count for nothing.
  __device__ void cut(int columns_left) {
#pragma unroll
    for (int i = 0; i < 2 * kPairs; ++i) {
      const int column = i / 2 * 8 + i % 2;
      values[i] = column < columns_left ? values[i] : -INFINITY;
    }
  }
  __device__ float largest() const {
    float part[4] = {values[0], values[1], values[2], values[3]};
#pragma unroll
    for (int i = 4; i < 2 * kPairs; ++i) {
      part[i % 4] = fmaxf(part[i % 4], values[i]);
    }
    return fmaxf(fmaxf(part[0], part[1]), fmaxf(part[2], part[3]));
  }
  __device__ float powers(float base) const {
    float part[4] = {};
#pragma unroll
    for (int i = 0; i < 2 * kPairs; ++i) {
      part[i % 4] += power_of_e(values[i] - base);
    }
    return (part[0] + part[1]) + (part[2] + part[3]);
  }
  template <bool kCut>
  __device__ float sum() const {
    float part[4] = {};
#pragma unroll
    for (int i = 0; i < 2 * kPairs; ++i) {
      part[i % 4] += kCut && values[i] == -INFINITY ? 0.0F : values[i];
    }
    return (part[0] + part[1]) + (part[2] + part[3]);
  }
};

template <Stores kStores>
__device__ void write(const RowPart& part, float* to, int columns_left, bool written) {
  const int q = static_cast<int>(threadIdx.x) % 4;
  if constexpr (kStores == Stores::wide) {
    // Of two pairs, 8 columns apart, even lanes get the first and odd lanes the second, each with
    // its neighbour's.
    const bool odd = q % 2 != 0;
#pragma unroll
    for (int j = 0; j < RowPart::kPairs; j += 2) {
      const float* first = part.values + 2 * j;
      const float* second = first + 2;
      const float x = __shfl_xor_sync(0xFFFFFFFFU, odd ? first[0] : second[0], 1);
      const float y = __shfl_xor_sync(0xFFFFFFFFU, odd ? first[1] : second[1], 1);
      const int column = odd ? 8 * (j + 1) + 2 * (q - 1) : 8 * j + 2 * q;
      if (written && column < columns_left) {
        *reinterpret_cast<float4*>(to + column) =
            odd ? make_float4(x, y, second[0], second[1]) : make_float4(first[0], first[1], x, y);
      }
    }
  } else if (written) {
#pragma unroll
    for (int j = 0; j < RowPart::kPairs; ++j) {
      const int column = 8 * j + 2 * q;
      if (column < columns_left) {
        const float2 pair = make_float2(part.values[2 * j], part.values[2 * j + 1]);
        if constexpr (kStores == Stores::streamed) {
          __stcs(reinterpret_cast<float2*>(to + column), pair);
        } else {
          *reinterpret_cast<float2*>(to + column) = pair;
        }
      }
    }
  }
}

// Word k of the quad's lane q becomes word q of lane k.
__device__ inline void exchange(std::uint32_t (&words)[4]) {
  const bool odd = threadIdx.x % 2 != 0;
  const bool high = threadIdx.x / 2 % 2 != 0;
#pragma unroll
  for (int i = 0; i < 4; i += 2) {
    const std::uint32_t got = __shfl_xor_sync(0xFFFFFFFFU, odd ? words[i] : words[i + 1], 1);
    words[i] = odd ? got : words[i];
    words[i + 1] = odd ? words[i + 1] : got;
  }
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const std::uint32_t got = __shfl_xor_sync(0xFFFFFFFFU, high ? words[i] : words[i + 2], 2);
    words[i] = high ? got : words[i];
    words[i + 2] = high ? words[i + 2] : got;
  }
}

// Rounds, and writes 64 bytes of a row at a time: 16 to each lane. All lanes come here.
__device__ inline void write(RowPart& part, __nv_bfloat16* to, int columns_left, bool written) {
  const int q = static_cast<int>(threadIdx.x) % 4;
#pragma unroll
  for (int first = 0; first < RowPart::kPairs; first += 4) {
    std::uint32_t words[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      float* pair = part.values + 2 * (first + k);
      const __nv_bfloat162 rounded = __floats2bfloat162_rn(pair[0], pair[1]);
      words[k] = *reinterpret_cast<const std::uint32_t*>(&rounded);
      pair[0] = __uint_as_float(words[k] << 16U);
      pair[1] = __uint_as_float(words[k] & 0xFFFF0000U);
    }
    exchange(words);
    const int column = 8 * (first + q);
    if (written && column < columns_left) {
      *reinterpret_cast<uint4*>(to + column) = make_uint4(words[0], words[1], words[2], words[3]);
    }
  }
}

// One row of the tile, by the four lanes that have it. Logits of bf16 are rounded first: statistics
// are of what memory has.
template <class T, bool kCut, Stores kStores>
__device__ void finish_row(const VocabularyProblem& p, RowPart part, int row, int col) {
  const int q = static_cast<int>(threadIdx.x) % 4;
  const bool there = row < p.rows;
  const bool written = there && p.logits != nullptr;
  T* to = static_cast<T*>(p.logits) + row * p.stride + col;
  const int columns_left = kCut ? p.cols - col : VocabularyTile::kCols;
  if constexpr (sizeof(T) == 4) {
    write<kStores>(part, to, columns_left, written);
  } else {
    write(part, to, columns_left, written);
  }
  if (p.statistics.powers == nullptr) {
    return;
  }
  if constexpr (kCut) {
    part.cut(p.valid - col - 2 * q);
  }
  const float largest = quad_max(part.largest());
  const float powers = quad_sum(part.powers(largest == -INFINITY ? 0.0F : largest));
  const std::int64_t at = col / VocabularyTile::kCols * p.statistics.stride + row;
  if (there && q == 0) {
    p.statistics.powers[at] = make_float2(largest, powers);
  }
  if (p.statistics.sums != nullptr) {
    const float sum = quad_sum(part.template sum<kCut>());
    if (there && q == 1) {
      p.statistics.sums[at] = sum;
    }
  }
}

// One row of powers exp(logit - shift), rounded to bf16, zero in columns that are not valid. Left
// are Σ power, as rounded, and Σ logit. An exponent ends at 2¹⁰⁰, so that sums do not overflow.
template <bool kCut>
__device__ void finish_powers_row(const VocabularyProblem& p, RowPart part, int row, int col) {
  constexpr float kLog2 = 1.4426950408889634F;
  constexpr float kMost = 100.0F;
  const int q = static_cast<int>(threadIdx.x) % 4;
  const bool there = row < p.rows;
  const float shift = there ? -p.shifts[row] * kLog2 : 0.0F;
  if constexpr (kCut) {
    part.cut(p.valid - col - 2 * q);
  }
  const float logits = quad_sum(part.template sum<kCut>());
#pragma unroll
  for (int i = 0; i < 2 * RowPart::kPairs; ++i) {
    const float exponent = fminf(fmaf(part.values[i], kLog2, shift), kMost);
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(part.values[i]) : "f"(exponent));
  }
  __nv_bfloat16* to = static_cast<__nv_bfloat16*>(p.logits) + row * p.stride + col;
  write(part, to, kCut ? p.cols - col : VocabularyTile::kCols, there);
  const float powers = quad_sum(part.template sum<false>());
  if (there && q == 0) {
    p.statistics.powers[col / VocabularyTile::kCols * p.statistics.stride + row] =
        make_float2(powers, logits);
  }
}

// The warpgroup's tile: two products of 64 rows each.
template <class T, bool kCut, Stores kStores>
__device__ void finish_tile(const float (&sums)[2][64], const VocabularyProblem& p, int row,
                            int col) {
  const int thread = static_cast<int>(threadIdx.x) % hopper::kWarpgroup;
  row += thread / 32 * 16 + thread % 32 / 4;
#pragma unroll
  for (int product = 0; product < 2; ++product) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      RowPart part;
#pragma unroll
      for (int j = 0; j < RowPart::kPairs; ++j) {
        part.values[2 * j] = sums[product][4 * j + 2 * half];
        part.values[2 * j + 1] = sums[product][4 * j + 2 * half + 1];
      }
      if constexpr (std::is_same_v<T, VocabularyPowers>) {
        finish_powers_row<kCut>(p, part, row + 64 * product + 8 * half, col);
      } else {
        finish_row<T, kCut, kStores>(p, part, row + 64 * product + 8 * half, col);
      }
    }
  }
}

#endif  // YONA_HOPPER

}  // namespace vocabulary

}  // namespace yona::cuda
