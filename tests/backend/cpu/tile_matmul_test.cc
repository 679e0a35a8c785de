// Products by tiles against the reference: every transposition and epilogue, sizes around those of
// tiles, pieces, blocks and slices; the same bits for any number of threads. By plain loops, and by
// AMX and AVX512-BF16 where they are.

#include "yona/backend/cpu/tile_matmul.h"

#include <array>

#include <gtest/gtest.h>

#include "tests/backend/cpu/matmul_problem.h"
#include "tests/backend/cpu/plain_tiles.h"

namespace yona {
namespace {

using test::MatmulCase;
using test::MatmulProblem;

std::vector<cpu::TileUnit> tile_units() {
  std::vector<cpu::TileUnit> units{test::kPlainTiles};
  if (cpu_has_amx()) {
    units.push_back(cpu::amx_unit());
  }
  if (cpu_has_bf16()) {
    units.push_back(cpu::bf16_dot_unit());
  }
  return units;
}

void expect_like_reference(const MatmulCase& each) {
  SCOPED_TRACE(testing::Message() << each.m << "×" << each.n << "×" << each.k << " ta "
                                  << each.transpose_a << " tb " << each.transpose_b);
  MatmulProblem expected(each, Precision::bf16);
  reference_kernels().matmul(expected.args(), test::one_thread());
  for (const cpu::TileUnit& unit : tile_units()) {
    MatmulProblem one(each, Precision::bf16);
    MatmulProblem two(each, Precision::bf16);
    cpu::tile_matmul(one.args(), each.k, *test::one_thread().pool, unit);
    cpu::tile_matmul(two.args(), each.k, *test::two_threads().pool, unit);
    EXPECT_TRUE(test::is_near(one.c, expected.c, test::kToleranceBf16,
                              std::sqrt(static_cast<double>(each.k))));
    EXPECT_TRUE(one.c == two.c) << "the bits depend on the threads";
  }
}

TEST(TileMatmul, IsTheReferencesForEveryTranspositionAndEpilogue) {
  for (const bool transpose_a : {false, true}) {
    for (const bool transpose_b : {false, true}) {
      for (const auto& [m, n, k] : std::vector<std::array<std::int64_t, 3>>{
               {1, 1, 1}, {16, 32, 32}, {7, 33, 3}, {130, 64, 31}, {260, 100, 70}}) {
        expect_like_reference({m, n, k, transpose_a, transpose_b});
        expect_like_reference({m, n, k, transpose_a, transpose_b, true});
        expect_like_reference({m, n, k, transpose_a, transpose_b, true, true, Activation::relu});
      }
    }
  }
}

TEST(TileMatmul, IsTheReferencesForSizesAroundPiecesAndBlocks) {
  for (const bool transpose_a : {false, true}) {
    expect_like_reference({13, 70, 2048, transpose_a});
    expect_like_reference({13, 70, 2049, transpose_a, false, true, true});
    expect_like_reference({5, 2049, 600, transpose_a});  // columns in two blocks
    expect_like_reference({3, 2048, 2100, transpose_a, true, false, true, Activation::relu});
    expect_like_reference({600, 40, 40, transpose_a, true});  // several slices of rows
  }
}

TEST(TileMatmul, TakesOperandsThatAreRoundedAlready) {
  for (const bool transpose : {false, true}) {
    MatmulProblem expected({.m = 50, .n = 40, .k = 70, .transpose_a = transpose}, Precision::bf16);
    MatmulProblem got = expected;
    reference_kernels().matmul(expected.args(), test::one_thread());
    std::vector<std::uint16_t> a;
    MatmulArgs args = got.args();
    for (std::int64_t i = 0; i < args.a.rows; ++i) {
      for (std::int64_t j = 0; j < args.a.cols; ++j) {
        a.push_back(to_bf16(args.a.row<float>(i)[j]));
      }
    }
    args.a = {a.data(), args.a.rows, args.a.cols, args.a.cols, DType::bf16};
    for (const cpu::TileUnit& unit : tile_units()) {
      cpu::tile_matmul(args, 70, *test::one_thread().pool, unit);
      EXPECT_TRUE(test::is_near(got.c, expected.c, test::kToleranceBf16, 9.0));
    }
  }
}

TEST(TileMatmul, CarriesInfinityAndNaNThrough) {
  for (const cpu::TileUnit& unit : tile_units()) {
    MatmulProblem problem(
        {.m = 40, .n = 8, .k = 4, .transpose_b = true, .activation = Activation::relu},
        Precision::bf16);
    problem.a.fill(1.0F);
    problem.b.fill(1.0F);
    problem.a.at(0, 0) = INFINITY;
    problem.a.at(39, 1) = NAN;
    cpu::tile_matmul(problem.args(), 4, *test::one_thread().pool, unit);
    EXPECT_EQ(problem.c.at(0, 0), INFINITY);
    EXPECT_TRUE(std::isnan(problem.c.at(39, 7)));
    EXPECT_EQ(problem.c.at(20, 3), 4.0F);
  }
}

}  // namespace
}  // namespace yona
