// Products of strips by a tile unit against plain loops: every number of rows and columns within
// strips, sums begun and continued, bias and relu.
#pragma once

#include "tests/backend/cpu/kernel_test.h"
#include "tests/backend/cpu/plain_tiles.h"

namespace yona::test {

inline void expect_multiplied_as_by_plain_loops(void (*multiply)(const cpu::StripProduct&)) {
  constexpr std::int64_t kDepthTiles = 3;
  constexpr std::int64_t kDepth = kDepthTiles * cpu::kTileDepth;
  Matrix a = Matrix::random(96, kDepth, 1);
  Matrix b = Matrix::random(32, kDepth, 2);
  Matrix bias = Matrix::random(1, 32, 3);
  std::vector<std::uint16_t> left(96 * kDepth);
  std::vector<std::uint16_t> right(32 * kDepth);
  plain_pack({a.view(), false, 0, 96, 0, kDepth}, cpu::TileSide::left, left.data());
  plain_pack({b.view(), false, 0, 32, 0, kDepth}, cpu::TileSide::right, right.data());
  for (const std::int64_t rows : {1, 16, 31, 32, 33, 80, 96}) {
    for (const std::int64_t columns : {1, 15, 16, 17, 31, 32}) {
      for (const bool starts : {true, false}) {
        Matrix expected = Matrix::random(rows, columns, 4, 3);
        Matrix got = expected;
        cpu::StripProduct product{.a = left.data(),
                                  .b = right.data(),
                                  .depth_tiles = kDepthTiles,
                                  .rows = rows,
                                  .columns = columns,
                                  .c_stride = columns + 3,
                                  .starts = starts,
                                  .bias = starts ? bias.view().row<float>(0) : nullptr,
                                  .least = starts ? 0.0F : -INFINITY};
        product.c = expected.view().row<float>(0);
        plain_multiply(product);
        product.c = got.view().row<float>(0);
        multiply(product);
        EXPECT_TRUE(is_near(got, expected, kToleranceBf16, 10.0))
            << rows << " rows, " << columns << " columns";
      }
    }
  }
}

}  // namespace yona::test
