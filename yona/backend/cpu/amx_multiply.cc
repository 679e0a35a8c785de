// The product of strips by AMX: 2 × 2 tiles of sums in registers, two tiles of each operand loaded
// for four products. Strips come from the second-level cache; c, which comes from farther away, is
// fetched while the sums before it are computed.

#include <algorithm>
#include <array>
#include <immintrin.h>

#include "yona/backend/cpu/tile_unit.h"

#define YONA_AMX_TARGET [[gnu::target("amx-tile,amx-bf16,avx512f")]]

namespace yona::cpu {

namespace {

constexpr std::int64_t kRowBytes = 64;  // of every tile: 32 bf16 or 16 f32

// What LDTILECFG reads: all eight registers hold 16 rows of 64 bytes.
struct alignas(64) TileConfig {
  std::uint8_t palette = 1;
  std::uint8_t start_row = 0;
  std::array<std::uint8_t, 14> reserved{};
  std::array<std::uint16_t, 16> row_bytes{64, 64, 64, 64, 64, 64, 64, 64};
  std::array<std::uint8_t, 16> rows{16, 16, 16, 16, 16, 16, 16, 16};
};
static_assert(sizeof(TileConfig) == 64);
constexpr TileConfig kConfig;

using Sums = std::array<float, kStripLines * kStripLines>;

// A block of c that will be written soon, brought near a few cache lines at a time: all at once
// they would hold up the loads of tiles.
class Fetch {
 public:
  Fetch(const float* block, std::int64_t stride, std::int64_t steps)
      : block_(block), stride_(stride), rows_((kStripLines + steps - 1) / steps) {}

  // One of the steps. What lies beyond c does no harm: fetching never faults.
  void step() {
    const std::int64_t end = std::min(row_ + rows_, kStripLines);
    for (; row_ < end; ++row_) {
      _mm_prefetch(block_ + row_ * stride_, _MM_HINT_T0);
      _mm_prefetch(block_ + row_ * stride_ + kTileLines, _MM_HINT_T0);
    }
  }

 private:
  const float* block_;
  std::int64_t stride_, rows_;
  std::int64_t row_ = 0;
};

// Sums of 32 rows of a and 32 columns of b. The registers' numbers are part of the instructions.
YONA_AMX_TARGET inline void multiply_strips(const std::uint16_t* a, const std::uint16_t* b,
                                            std::int64_t depth_tiles, Fetch next, Sums& sums) {
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  for (std::int64_t i = 0; i < depth_tiles; ++i) {
    _tile_loadd(4, b, kRowBytes);
    _tile_loadd(6, a, kRowBytes);
    _tile_dpbf16ps(0, 6, 4);
    _tile_loadd(5, b + kTileElements, kRowBytes);
    _tile_dpbf16ps(1, 6, 5);
    _tile_loadd(7, a + kTileElements, kRowBytes);
    _tile_dpbf16ps(2, 7, 4);
    _tile_dpbf16ps(3, 7, 5);
    next.step();
    a += 2 * kTileElements;
    b += 2 * kTileElements;
  }
  constexpr std::int64_t kStride = kStripLines * sizeof(float);
  constexpr std::int64_t kLower = kTileLines * kStripLines;
  _tile_stored(0, sums.data(), kStride);
  _tile_stored(1, sums.data() + kTileLines, kStride);
  _tile_stored(2, sums.data() + kLower, kStride);
  _tile_stored(3, sums.data() + kLower + kTileLines, kStride);
}

// One row of sums into c. maxps gives its second operand where that is NaN.
YONA_AMX_TARGET inline void finish_row(const StripProduct& product, const float* sums, float* c) {
  const __m512 least = _mm512_set1_ps(product.least);
  for (std::int64_t j = 0; j < product.columns; j += 16) {
    const std::int64_t count = std::min<std::int64_t>(16, product.columns - j);
    const auto mask = static_cast<__mmask16>((1U << count) - 1U);
    __m512 sum = _mm512_loadu_ps(sums + j);
    if (!product.starts) {
      sum = _mm512_add_ps(_mm512_maskz_loadu_ps(mask, c + j), sum);
    }
    if (product.bias != nullptr) {
      sum = _mm512_add_ps(sum, _mm512_maskz_loadu_ps(mask, product.bias + j));
    }
    _mm512_mask_storeu_ps(c + j, mask, _mm512_maskz_max_ps(mask, least, sum));
  }
}

}  // namespace

YONA_AMX_TARGET void multiply_by_amx(const StripProduct& product) {
  alignas(64) Sums sums;
  _tile_loadconfig(&kConfig);
  const std::int64_t strip = product.depth_tiles * 2 * kTileElements;
  for (std::int64_t row = 0; row < product.rows; row += kStripLines) {
    const std::int64_t rows = std::min(kStripLines, product.rows - row);
    float* c = product.c + row * product.c_stride;
    // The rows after these, or the first ones of the next strip of b.
    const bool last = row + kStripLines >= product.rows;
    const float* next = last ? product.c + kStripLines : c + kStripLines * product.c_stride;
    multiply_strips(product.a + row / kStripLines * strip, product.b, product.depth_tiles,
                    Fetch(next, product.c_stride, product.depth_tiles), sums);
    for (std::int64_t i = 0; i < rows; ++i) {
      finish_row(product, sums.data() + i * kStripLines, c + i * product.c_stride);
    }
  }
  _tile_release();
}

const TileUnit& amx_unit() {
  static constexpr TileUnit unit{.pack = pack_strips, .multiply = multiply_by_amx};
  return unit;
}

}  // namespace yona::cpu
