// Products against the reference over edge shapes, transpositions and epilogues; the same bits for
// any number of threads.

#include <array>

#include <gtest/gtest.h>

#include "yona/backend/cpu/matmul_plan.h"

#include "tests/backend/cpu/kernel_test.h"

namespace yona {
namespace {

using test::Matrix;

struct Case {
  std::int64_t m, n, k;
  bool transpose_a = false, transpose_b = false;
  bool accumulate = false;
  bool bias = false;
  Activation activation = Activation::none;
  std::int64_t padding = 0;
};

struct Problem {
  Problem(const Case& of, Precision chosen)
      : each(of),
        a(of.transpose_a ? Matrix::random(of.k, of.m, 1, of.padding)
                         : Matrix::random(of.m, of.k, 1, of.padding)),
        b(of.transpose_b ? Matrix::random(of.n, of.k, 2, of.padding)
                         : Matrix::random(of.k, of.n, 2, of.padding)),
        c(Matrix::random(of.m, of.n, 3, of.padding)),
        bias(Matrix::random(1, of.n, 4)),
        precision(chosen) {}
  MatmulArgs args() {
    return {.a = a.view(),
            .b = b.view(),
            .c = c.view(),
            .transpose_a = each.transpose_a,
            .transpose_b = each.transpose_b,
            .accumulate = each.accumulate,
            .bias = each.bias ? bias.view() : View{},
            .activation = each.activation,
            .precision = precision};
  }
  std::vector<Matrix*> outputs() { return {&c}; }

  Case each;
  Matrix a, b, c, bias;
  Precision precision;
};

void expect_like_reference(const Case& each, Precision precision, double tolerance) {
  SCOPED_TRACE(testing::Message() << each.m << "×" << each.n << "×" << each.k << " ta "
                                  << each.transpose_a << " tb " << each.transpose_b);
  test::expect_like_reference(Problem(each, precision), &Kernels::matmul, tolerance,
                              std::sqrt(static_cast<double>(each.k)));
}

std::vector<Case> cases() {
  std::vector<Case> list;
  for (const bool transpose_a : {false, true}) {
    for (const bool transpose_b : {false, true}) {
      for (const auto& [m, n, k] : std::vector<std::array<std::int64_t, 3>>{
               {1, 1, 1}, {3, 5, 7}, {17, 33, 65}, {129, 100, 130}, {300, 70, 128}}) {
        for (const bool accumulate : {false, true}) {
          list.push_back({m, n, k, transpose_a, transpose_b, accumulate});
        }
        list.push_back({m, n, k, transpose_a, transpose_b, true, true, Activation::relu, 3});
        list.push_back({m, n, k, transpose_a, transpose_b, false, true, Activation::none, 1});
        list.push_back({m, n, k, transpose_a, transpose_b, false, false, Activation::relu});
      }
    }
  }
  list.push_back({.m = 70, .n = 40, .k = 5000, .accumulate = true, .bias = true});  // a long sum
  // Large results with a transposed left side, and many rows: packed panels.
  list.push_back({700, 390, 1, true, false, true, true, Activation::relu, 3});
  list.push_back({520, 510, 330, true, false, true, true, Activation::relu, 3});
  list.push_back({1030, 256, 64, true, true});
  list.push_back({.m = 257, .n = 1000, .k = 96, .transpose_b = true});  // cut in columns
  return list;
}

TEST(CpuMatmul, IsTheReferencesProductForEveryShapeAndEpilogue) {
  for (const Case& each : cases()) {
    expect_like_reference(each, Precision::f32, test::kToleranceF32);
  }
}

TEST(CpuMatmul, RoundsOperandsToBf16AndSumsInF32) {
  for (const Case& each : cases()) {
    expect_like_reference(each, Precision::bf16, test::kToleranceBf16);
  }
}

TEST(CpuMatmul, OfNoRowsDoesNothing) {
  Problem problem({.m = 0, .n = 8, .k = 4}, Precision::f32);
  cpu_kernels().matmul(problem.args(), test::two_threads());
  EXPECT_TRUE(problem.c.padding_is_untouched());
}

TEST(CpuMatmul, OverAnEmptySumLeavesTheBiasAlone) {
  expect_like_reference({.m = 5, .n = 6, .k = 0, .bias = true}, Precision::f32, 0);
  expect_like_reference({.m = 5, .n = 6, .k = 0, .accumulate = true}, Precision::f32, 0);
}

TEST(CpuMatmul, CarriesInfinityAndNaNThrough) {
  Problem problem({.m = 40, .n = 8, .k = 4, .transpose_b = true}, Precision::f32);
  problem.a.at(0, 0) = INFINITY;
  problem.a.at(39, 1) = NAN;
  cpu_kernels().matmul(problem.args(), test::one_thread());
  EXPECT_TRUE(std::isinf(problem.c.at(0, 0)));
  EXPECT_TRUE(std::isnan(problem.c.at(39, 7)));
}

TEST(CpuMatmul, OfDoublesIsTheReferences) {
  std::vector<double> a = {1, 2, 3, 4};
  std::vector<double> c(4);
  const View view{a.data(), 2, 2, 2, DType::f64};
  cpu_kernels().matmul({.a = view, .b = view, .c = {c.data(), 2, 2, 2, DType::f64}},
                       test::one_thread());
  EXPECT_EQ(c, (std::vector<double>{7, 10, 15, 22}));
}

TEST(MatmulPlan, BlocksCoverTheProductAndAreNeverEmpty) {
  for (const std::int64_t m : {1, 15, 16, 100, 127, 128, 500, 2000, 25000}) {
    for (const std::int64_t n : {1, 63, 128, 384, 8000, 37056}) {
      for (const std::int64_t k : {1, 128, 512, 2048, 8000}) {
        for (const cpu::MatmulPlan& plan : {cpu::plan_rows(m, n, k), cpu::plan_tiles(m, n, k)}) {
          EXPECT_GE(plan.row_blocks() * plan.row_block, m);
          EXPECT_LT((plan.row_blocks() - 1) * plan.row_block, m);
          EXPECT_GE(plan.col_blocks() * plan.col_block, n);
          EXPECT_LT((plan.col_blocks() - 1) * plan.col_block, n);
        }
      }
    }
  }
}

TEST(MatmulPlan, CutsEveryProductOfTinyTrainingForPairsOfThreads) {
  for (const cpu::MatmulPlan& plan :
       {cpu::plan_rows(2000, 384, 128), cpu::plan_rows(2000, 128, 128),
        cpu::plan_rows(512, 8000, 128), cpu::plan_rows(512, 128, 8000),
        cpu::plan_tiles(128, 128, 2000), cpu::plan_tiles(8000, 128, 512)}) {
    EXPECT_EQ(plan.slices() % 2, 0);
    EXPECT_GE(plan.slices(), 2);
  }
}

}  // namespace
}  // namespace yona
