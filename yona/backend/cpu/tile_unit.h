// A unit that multiplies tiles of bf16 into sums of f32, as tile_matmul.h uses it: AMX, the dot
// products of AVX512-BF16, or in tests plain loops.
//
// A tile is 16 lines (rows of a, columns of b) by 32 elements of the sum. Two tiles side by side
// are 32 lines; those for a whole piece of the sum, one pair after another, are a strip.
#pragma once

#include <cmath>
#include <cstdint>

#include "yona/backend/view.h"

namespace yona::cpu {

inline constexpr std::int64_t kTileLines = 16;
inline constexpr std::int64_t kTileDepth = 32;
inline constexpr std::int64_t kTileElements = kTileLines * kTileDepth;
inline constexpr std::int64_t kStripLines = 2 * kTileLines;

// The order of a tile's elements. left: [line][element of the sum]. right: [pair of elements of the
// sum][line][which of the pair].
enum class TileSide : std::uint8_t { left, right };

// A part of an operand as it lies in memory, f32 or bf16.
struct StripSource {
  View view{};
  bool sum_first = false;  // the view's rows run over the sum, its columns are the lines
  std::int64_t line = 0, lines = 0;
  std::int64_t begin = 0, depth = 0;  // of the sum
};

// `rows` rows of a in strips, one strip of b, and where their product goes.
struct StripProduct {
  const std::uint16_t* a = nullptr;
  const std::uint16_t* b = nullptr;
  std::int64_t depth_tiles = 0;
  std::int64_t rows = 0;
  std::int64_t columns = kStripLines;  // at most that many
  float* c = nullptr;
  std::int64_t c_stride = 0;
  bool starts = true;           // else c has sums to add to
  const float* bias = nullptr;  // null: none; of the first column
  float least = -INFINITY;      // 0 for relu
};

struct TileUnit {
  // Rounds a part of an operand to bf16 and puts it into strips, one after another. Lines and
  // elements that whole tiles have beyond it become zero.
  void (*pack)(const StripSource& from, TileSide side, std::uint16_t* to);
  // c ← max(least, a · b (+ c) (+ bias)) for a piece of the sum.
  void (*multiply)(const StripProduct& product);
};

// AMX. Needs a machine that has it: cpu_has_amx() in features.h.
const TileUnit& amx_unit();

// AVX512-BF16, which machines with AMX have too: cpu_has_bf16() in features.h.
const TileUnit& bf16_dot_unit();

// The one of these that this machine has; it must have AVX512-BF16.
const TileUnit& tile_unit();

void pack_strips(const StripSource& from, TileSide side, std::uint16_t* to);
void multiply_by_amx(const StripProduct& product);
void multiply_by_bf16_dot(const StripProduct& product);

}  // namespace yona::cpu
