// Products of strips by AMX against plain loops: every number of rows and columns within strips,
// sums begun and continued, bias and relu.

#include <gtest/gtest.h>

#include "tests/backend/cpu/kernel_test.h"
#include "tests/backend/cpu/plain_tiles.h"

namespace yona {
namespace {

TEST(AmxMultiply, IsThatOfPlainLoopsForEveryEdgeAndEpilogue) {
  if (!cpu_has_amx()) {
    GTEST_SKIP() << "this machine has no AMX";
  }
  constexpr std::int64_t kDepthTiles = 3;
  constexpr std::int64_t kDepth = kDepthTiles * cpu::kTileDepth;
  test::Matrix a = test::Matrix::random(96, kDepth, 1);
  test::Matrix b = test::Matrix::random(32, kDepth, 2);
  test::Matrix bias = test::Matrix::random(1, 32, 3);
  std::vector<std::uint16_t> left(96 * kDepth);
  std::vector<std::uint16_t> right(32 * kDepth);
  test::plain_pack({a.view(), false, 0, 96, 0, kDepth}, cpu::TileSide::left, left.data());
  test::plain_pack({b.view(), false, 0, 32, 0, kDepth}, cpu::TileSide::right, right.data());
  for (const std::int64_t rows : {1, 16, 31, 32, 33, 80, 96}) {
    for (const std::int64_t columns : {1, 15, 16, 17, 31, 32}) {
      for (const bool starts : {true, false}) {
        test::Matrix expected = test::Matrix::random(rows, columns, 4, 3);
        test::Matrix got = expected;
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
        test::plain_multiply(product);
        product.c = got.view().row<float>(0);
        cpu::multiply_by_amx(product);
        EXPECT_TRUE(test::is_near(got, expected, test::kToleranceBf16, 10.0))
            << rows << " rows, " << columns << " columns";
      }
    }
  }
}

}  // namespace
}  // namespace yona
