// Products by packed panels against the reference: every transposition and epilogue, sizes around
// those of panels, pieces, blocks and slices; the same bits for any number of threads.

#include "yona/backend/cpu/panel_matmul.h"

#include <array>

#include <gtest/gtest.h>

#include "tests/backend/cpu/matmul_problem.h"

namespace yona {
namespace {

using test::MatmulCase;
using test::MatmulProblem;

void expect_like_reference(const MatmulCase& each) {
  SCOPED_TRACE(testing::Message() << each.m << "×" << each.n << "×" << each.k << " ta "
                                  << each.transpose_a << " tb " << each.transpose_b);
  MatmulProblem expected(each);
  MatmulProblem one(each);
  MatmulProblem two(each);
  reference_kernels().matmul(expected.args(), test::one_thread());
  cpu::panel_matmul(one.args(), each.k, *test::one_thread().pool);
  cpu::panel_matmul(two.args(), each.k, *test::two_threads().pool);
  EXPECT_TRUE(test::is_near(one.c, expected.c, test::kToleranceF32,
                            std::sqrt(static_cast<double>(each.k))));
  EXPECT_TRUE(one.c == two.c) << "the bits depend on the threads";
}

TEST(PanelMatmul, IsTheReferencesForEveryTranspositionAndEpilogue) {
  test::on_every_isa([] {
    for (const bool transpose_a : {false, true}) {
      for (const bool transpose_b : {false, true}) {
        for (const auto& [m, n, k] : std::vector<std::array<std::int64_t, 3>>{
                 {1, 1, 1}, {7, 65, 3}, {130, 64, 17}, {260, 100, 70}}) {
          expect_like_reference({m, n, k, transpose_a, transpose_b});
          expect_like_reference({m, n, k, transpose_a, transpose_b, true});
          expect_like_reference({m, n, k, transpose_a, transpose_b, true, true, Activation::relu});
        }
      }
    }
  });
}

TEST(PanelMatmul, IsTheReferencesForSizesAroundPiecesAndBlocks) {
  for (const bool transpose_a : {false, true}) {
    expect_like_reference({13, 70, 512, transpose_a});
    expect_like_reference({13, 70, 513, transpose_a, false, true, true});
    expect_like_reference({5, 2049, 600, transpose_a});  // columns in two blocks
    expect_like_reference({3, 2048, 1100, transpose_a, true, false, true});  // the sum in blocks
  }
}

TEST(PanelMatmul, CarriesInfinityAndNaNThrough) {
  MatmulProblem problem({.m = 40, .n = 8, .k = 4, .transpose_b = true});
  problem.a.at(0, 0) = INFINITY;
  problem.a.at(39, 1) = NAN;
  cpu::panel_matmul(problem.args(), 4, *test::one_thread().pool);
  EXPECT_TRUE(std::isinf(problem.c.at(0, 0)));
  EXPECT_TRUE(std::isnan(problem.c.at(39, 7)));
  EXPECT_TRUE(std::isfinite(problem.c.at(20, 3)));
}

}  // namespace
}  // namespace yona
