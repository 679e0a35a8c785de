// The product of strips by AVX512-BF16: 8 rows × 32 columns of sums in registers, one instruction
// for the 32 products of a pair of elements with 16 columns. For CPUs without AMX.

#include <algorithm>
#include <array>
#include <cstring>
#include <immintrin.h>

#include "yona/backend/cpu/tile_unit.h"

#define YONA_DOT_TARGET [[gnu::target("avx512f,avx512bf16")]]
#define YONA_DOT_INLINE YONA_DOT_TARGET [[gnu::always_inline]] inline

namespace yona::cpu {

namespace {

constexpr std::int64_t kRows = 8;  // half the lines of a tile
constexpr std::int64_t kPairs = kTileDepth / 2;
constexpr std::int64_t kPairLines = 2 * kTileLines;  // elements of a pair of all lines: 64 bytes

using Sums = __m512[kRows][2];

// sum += x₀ · y₀ + x₁ · y₁ in every lane. GCC 12 copies the sum around its intrinsic.
YONA_DOT_INLINE void add_products(__m512& sum, __m512i x, __m512i y) {
  asm("vdpbf16ps %2, %1, %0" : "+v"(sum) : "v"(x), "v"(y));
}

YONA_DOT_INLINE __m512i pair_of(const std::uint16_t* a) {
  std::int32_t pair = 0;
  std::memcpy(&pair, a, sizeof(pair));
  return _mm512_set1_epi32(pair);
}

// A tile of a's strip (its upper or lower half) with both of b's.
YONA_DOT_INLINE void add_tile(const std::uint16_t* a, const std::uint16_t* b, Sums& sums) {
  for (std::int64_t pair = 0; pair < kPairs; ++pair) {
    const __m512i left = _mm512_loadu_si512(b + pair * kPairLines);
    const __m512i right = _mm512_loadu_si512(b + kTileElements + pair * kPairLines);
#pragma GCC unroll 8
    for (std::int64_t i = 0; i < kRows; ++i) {
      const __m512i x = pair_of(a + i * kTileDepth + 2 * pair);
      add_products(sums[i][0], x, left);
      add_products(sums[i][1], x, right);
    }
  }
}

// Sixteen sums into c. maxps gives its second operand where that is NaN.
YONA_DOT_INLINE void finish(const StripProduct& product, __m512 sum, std::int64_t row,
                            std::int64_t column) {
  const std::int64_t count = std::clamp<std::int64_t>(product.columns - column, 0, kTileLines);
  const auto mask = static_cast<__mmask16>((1U << count) - 1U);
  float* c = product.c + row * product.c_stride + column;
  if (!product.starts) {
    sum = _mm512_add_ps(_mm512_maskz_loadu_ps(mask, c), sum);
  }
  if (product.bias != nullptr) {
    sum = _mm512_add_ps(sum, _mm512_maskz_loadu_ps(mask, product.bias + column));
  }
  _mm512_mask_storeu_ps(c, mask, _mm512_maskz_max_ps(mask, _mm512_set1_ps(product.least), sum));
}

}  // namespace

YONA_DOT_TARGET void multiply_by_bf16_dot(const StripProduct& product) {
  const std::int64_t strip = product.depth_tiles * 2 * kTileElements;
  for (std::int64_t row = 0; row < product.rows; row += kRows) {
    const std::int64_t line = row % kStripLines;
    const std::uint16_t* a = product.a + row / kStripLines * strip + line * kTileDepth;
    Sums sums;
#pragma GCC unroll 8
    for (auto& of_row : sums) {
      of_row[0] = of_row[1] = _mm512_setzero_ps();
    }
    for (std::int64_t tile = 0; tile < product.depth_tiles; ++tile) {
      add_tile(a + 2 * tile * kTileElements, product.b + 2 * tile * kTileElements, sums);
    }
#pragma GCC unroll 8
    for (std::int64_t i = 0; i < kRows; ++i) {
      if (row + i < product.rows) {
        finish(product, sums[i][0], row + i, 0);
        finish(product, sums[i][1], row + i, kTileLines);
      }
    }
  }
}

const TileUnit& bf16_dot_unit() {
  static constexpr TileUnit unit{.pack = pack_strips, .multiply = multiply_by_bf16_dot};
  return unit;
}

}  // namespace yona::cpu
