// Operands into tiles: rounding and reordering at once, a tile in sixteen registers. Memory in the
// order of the tile's side is copied line by line; the other order is transposed, in pairs of bf16
// (32 bits), in registers.

#include <algorithm>
#include <immintrin.h>

#include "yona/backend/cpu/matmul_plan.h"
#include "yona/backend/cpu/tile_unit.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // GCC 12 finds it in its own intrinsics
#endif

// Machines with AMX have all of these too.
#define YONA_PACK_TARGET [[gnu::target("avx512f,avx512bw,avx512bf16")]]

namespace yona::cpu {

namespace {

struct Registers {
  __m512i row[kTileLines];
  __m512i& operator[](std::int64_t i) { return row[i]; }
};

// The mask of the first `count` of 16 lanes.
__mmask16 first_lanes(std::int64_t count) {
  return static_cast<__mmask16>((1U << std::clamp<std::int64_t>(count, 0, 16)) - 1U);
}

// Two vectors of f32 rounded to bf16: `low` in the lower half.
YONA_PACK_TARGET inline __m512i rounded(__m512 high, __m512 low) {
  return reinterpret_cast<__m512i>(_mm512_cvtne2ps_pbh(high, low));
}

// Sixteen elements from `low` in the lower half, as many from `high` in the upper, as bf16.
YONA_PACK_TARGET inline __m512i load(const float* low, __mmask16 low_mask, const float* high,
                                     __mmask16 high_mask) {
  return rounded(_mm512_maskz_loadu_ps(high_mask, high), _mm512_maskz_loadu_ps(low_mask, low));
}
YONA_PACK_TARGET inline __m512i load(const std::uint16_t* low, __mmask16 low_mask,
                                     const std::uint16_t* high, __mmask16 high_mask) {
  const auto low_words = _mm512_maskz_loadu_epi16(low_mask, low);
  const auto high_words = _mm512_maskz_loadu_epi16(high_mask, high);
  return _mm512_inserti64x4(low_words, _mm512_castsi512_si256(high_words), 1);
}

// [line][element] from memory in that order.
template <class T>
YONA_PACK_TARGET inline void load_lines(const T* from, std::int64_t stride, std::int64_t lines,
                                        std::int64_t depth, Registers& tile) {
  const __mmask16 low = first_lanes(depth);
  const __mmask16 high = first_lanes(depth - 16);
  for (std::int64_t i = 0; i < kTileLines; ++i) {
    const T* line = from + i * stride;
    tile[i] = i < lines ? load(line, low, line + 16, high) : _mm512_setzero_si512();
  }
}

// [pair of elements][line][which of the pair] from memory in the order [element][line].
template <class T>
YONA_PACK_TARGET inline void load_pairs(const T* from, std::int64_t stride, std::int64_t lines,
                                        std::int64_t depth, Registers& tile) {
  const __m512i interleave =
      _mm512_set_epi16(31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24, 8, 23, 7, 22, 6,
                       21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
  const __mmask16 mask = first_lanes(lines);
  for (std::int64_t i = 0; i < kTileLines; ++i) {
    const T* low = from + 2 * i * stride;
    const T* high = low + stride;
    const __m512i two = load(low, 2 * i < depth ? mask : __mmask16{0}, high,
                             2 * i + 1 < depth ? mask : __mmask16{0});
    tile[i] = _mm512_permutexvar_epi16(interleave, two);
  }
}

// 16 × 16 elements of 32 bits: squares of 4 × 4 in each quarter of the registers, then quarters.
YONA_PACK_TARGET inline void transpose_tile(Registers& r) {
  Registers t;
  for (std::int64_t i = 0; i < 16; i += 2) {
    t[i] = _mm512_unpacklo_epi32(r[i], r[i + 1]);
    t[i + 1] = _mm512_unpackhi_epi32(r[i], r[i + 1]);
  }
  for (std::int64_t i = 0; i < 16; i += 4) {
    r[i] = _mm512_unpacklo_epi64(t[i], t[i + 2]);
    r[i + 1] = _mm512_unpackhi_epi64(t[i], t[i + 2]);
    r[i + 2] = _mm512_unpacklo_epi64(t[i + 1], t[i + 3]);
    r[i + 3] = _mm512_unpackhi_epi64(t[i + 1], t[i + 3]);
  }
  constexpr int kEven = 0x88;
  constexpr int kOdd = 0xDD;
  for (std::int64_t i = 0; i < 4; ++i) {
    const __m512i even_low = _mm512_shuffle_i32x4(r[i], r[i + 4], kEven);
    const __m512i odd_low = _mm512_shuffle_i32x4(r[i], r[i + 4], kOdd);
    const __m512i even_high = _mm512_shuffle_i32x4(r[i + 8], r[i + 12], kEven);
    const __m512i odd_high = _mm512_shuffle_i32x4(r[i + 8], r[i + 12], kOdd);
    t[i] = _mm512_shuffle_i32x4(even_low, even_high, kEven);
    t[i + 4] = _mm512_shuffle_i32x4(odd_low, odd_high, kEven);
    t[i + 8] = _mm512_shuffle_i32x4(even_low, even_high, kOdd);
    t[i + 12] = _mm512_shuffle_i32x4(odd_low, odd_high, kOdd);
  }
  r = t;
}

// The tile that begins at (line, element) of the source.
template <class T>
YONA_PACK_TARGET void pack_tile(const StripSource& from, TileSide side, std::int64_t line,
                                std::int64_t element, std::uint16_t* to) {
  const std::int64_t lines = from.lines - line;
  const std::int64_t depth = from.depth - element;
  Registers tile;
  if (from.sum_first) {
    load_pairs(from.view.row<T>(from.begin + element) + from.line + line, from.view.stride, lines,
               depth, tile);
  } else {
    load_lines(from.view.row<T>(from.line + line) + from.begin + element, from.view.stride, lines,
               depth, tile);
  }
  if (from.sum_first != (side == TileSide::right)) {
    transpose_tile(tile);
  }
  for (std::int64_t i = 0; i < kTileLines; ++i) {
    _mm512_storeu_si512(to + i * kTileDepth, tile[i]);
  }
}

// Memory is read along its rows, as far as the part goes.
template <class T>
void pack_part(const StripSource& from, TileSide side, std::uint16_t* to) {
  const std::int64_t depth_tiles = divide_up(from.depth, kTileDepth);
  const std::int64_t line_tiles = 2 * divide_up(from.lines, kStripLines);
  const auto pack_at = [&](std::int64_t line_tile, std::int64_t depth_tile) {
    const std::int64_t strip = line_tile / 2;
    const std::int64_t place = (strip * depth_tiles + depth_tile) * 2 + line_tile % 2;
    pack_tile<T>(from, side, line_tile * kTileLines, depth_tile * kTileDepth,
                 to + place * kTileElements);
  };
  const std::int64_t outer = from.sum_first ? depth_tiles : line_tiles;
  const std::int64_t inner = from.sum_first ? line_tiles : depth_tiles;
  for (std::int64_t i = 0; i < outer; ++i) {
    for (std::int64_t j = 0; j < inner; ++j) {
      from.sum_first ? pack_at(j, i) : pack_at(i, j);
    }
  }
}

}  // namespace

void pack_strips(const StripSource& from, TileSide side, std::uint16_t* to) {
  if (from.view.dtype == DType::bf16) {
    pack_part<std::uint16_t>(from, side, to);
  } else {
    pack_part<float>(from, side, to);
  }
}

}  // namespace yona::cpu
