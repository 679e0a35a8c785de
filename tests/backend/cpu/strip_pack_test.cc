// Packing of strips against plain loops: both sides, both orders of memory, both types, and every
// edge within tiles.

#include <gtest/gtest.h>

#include "tests/backend/cpu/kernel_test.h"
#include "tests/backend/cpu/plain_tiles.h"

namespace yona {
namespace {

using Words = std::vector<std::uint16_t>;

void expect_packed_alike(const cpu::StripSource& from) {
  SCOPED_TRACE(testing::Message() << from.lines << " lines, " << from.depth << " elements, "
                                  << (from.sum_first ? "sum first" : "lines first"));
  const std::int64_t size =
      cpu::round_up(from.lines, cpu::kStripLines) * cpu::round_up(from.depth, cpu::kTileDepth);
  for (const cpu::TileSide side : {cpu::TileSide::left, cpu::TileSide::right}) {
    Words expected(static_cast<std::size_t>(size) + 1, 0x1234);
    Words packed = expected;
    test::plain_pack(from, side, expected.data());
    cpu::pack_strips(from, side, packed.data());
    EXPECT_EQ(packed, expected);
  }
}

TEST(StripPack, IsThatOfPlainLoopsForEveryOrderTypeAndEdge) {
  if (!cpu_has_bf16()) {
    GTEST_SKIP() << "this machine has no AVX512-BF16";
  }
  test::Matrix matrix = test::Matrix::random(150, 150, 1, 5);
  Words words(150 * 150);
  for (std::size_t i = 0; i < words.size(); ++i) {
    words[i] = static_cast<std::uint16_t>(i);
  }
  for (const View& view : {matrix.view(), View{words.data(), 150, 150, 150, DType::bf16}}) {
    for (const bool sum_first : {false, true}) {
      for (const std::int64_t lines : {1, 15, 16, 17, 32, 33, 100}) {
        for (const std::int64_t depth : {1, 2, 15, 16, 17, 31, 32, 33, 95, 96}) {
          expect_packed_alike({view, sum_first, 3, lines, 5, depth});
        }
      }
    }
  }
}

TEST(StripPack, RoundsToTheNearestAndKeepsInfinitiesAndNaN) {
  if (!cpu_has_bf16()) {
    GTEST_SKIP() << "this machine has no AVX512-BF16";
  }
  test::Matrix matrix(32, 32);
  const std::vector<float> values = {0.0F,     -0.0F,     1.00390625F, 1.01171875F,
                                     INFINITY, -INFINITY, 3.4e38F,     -1e-30F};
  for (std::int64_t j = 0; j < 32; ++j) {
    matrix.at(0, j) = values[static_cast<std::size_t>(j) % values.size()];
  }
  expect_packed_alike({matrix.view(), false, 0, 32, 0, 32});
  matrix.at(1, 1) = NAN;
  Words packed(1024);
  cpu::pack_strips({matrix.view(), false, 0, 32, 0, 32}, cpu::TileSide::left, packed.data());
  EXPECT_TRUE(std::isnan(from_bf16(packed[33])));
}

}  // namespace
}  // namespace yona
