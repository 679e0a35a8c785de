// The tile unit as plain loops: what AMX and AVX512-BF16 must do, and a stand-in for them.
#pragma once

#include <algorithm>
#include <vector>

#include "yona/backend/cpu/matmul_plan.h"
#include "yona/backend/cpu/tile_unit.h"

namespace yona::test {

// Where element `element` of line `line` lies in strips of that many tiles of the sum.
inline std::int64_t tile_offset(std::int64_t line, std::int64_t element, std::int64_t depth_tiles,
                                cpu::TileSide side) {
  using namespace cpu;
  const std::int64_t pair = line / kStripLines * depth_tiles + element / kTileDepth;
  const std::int64_t tile = 2 * pair + line % kStripLines / kTileLines;
  const std::int64_t i = line % kTileLines;
  const std::int64_t k = element % kTileDepth;
  const std::int64_t within =
      side == TileSide::left ? i * kTileDepth + k : (k / 2 * kTileLines + i) * 2 + k % 2;
  return tile * kTileElements + within;
}

inline void plain_pack(const cpu::StripSource& from, cpu::TileSide side, std::uint16_t* to) {
  using namespace cpu;
  const std::int64_t depth_tiles = divide_up(from.depth, kTileDepth);
  std::fill_n(to, round_up(from.lines, kStripLines) * depth_tiles * kTileDepth, std::uint16_t{0});
  for (std::int64_t line = 0; line < from.lines; ++line) {
    for (std::int64_t element = 0; element < from.depth; ++element) {
      const std::int64_t i = from.line + line;
      const std::int64_t k = from.begin + element;
      const std::int64_t place =
          from.sum_first ? k * from.view.stride + i : i * from.view.stride + k;
      to[tile_offset(line, element, depth_tiles, side)] =
          from.view.dtype == DType::bf16
              ? static_cast<const std::uint16_t*>(from.view.data)[place]
              : to_bf16(static_cast<const float*>(from.view.data)[place]);
    }
  }
}

inline void plain_multiply(const cpu::StripProduct& product) {
  using namespace cpu;
  for (std::int64_t i = 0; i < product.rows; ++i) {
    for (std::int64_t j = 0; j < product.columns; ++j) {
      float sum = 0;
      for (std::int64_t k = 0; k < product.depth_tiles * kTileDepth; ++k) {
        sum += from_bf16(product.a[tile_offset(i, k, product.depth_tiles, TileSide::left)]) *
               from_bf16(product.b[tile_offset(j, k, product.depth_tiles, TileSide::right)]);
      }
      float& c = product.c[i * product.c_stride + j];
      sum += product.starts ? 0.0F : c;
      sum += product.bias != nullptr ? product.bias[j] : 0.0F;
      c = std::max(sum, product.least);
    }
  }
}

inline constexpr cpu::TileUnit kPlainTiles{.pack = plain_pack, .multiply = plain_multiply};

}  // namespace yona::test
