// Products with packed weights against the reference, for every number of rows that takes another
// path; a row's bits in any batch; and the order that packing makes.

#include <gtest/gtest.h>

#include "yona/backend/panels.h"

#include "tests/backend/cpu/kernel_test.h"

namespace yona {
namespace {

using test::Matrix;

struct Problem {
  Problem(std::int64_t m, std::int64_t n, std::int64_t k, bool biased = true,
          Activation chosen = Activation::relu)
      : x(Matrix::random(m, k, 1, 3)),
        weights(Matrix::random(n, k, 2)),
        y(Matrix::random(m, n, 3, 5)),
        bias(Matrix::random(1, n, 4)),
        with_bias(biased),
        activation(chosen) {
    cpu_kernels().pack({.weights = weights.view()}, test::one_thread());
  }
  PackedMatmulArgs args() {
    return {.x = x.view(),
            .weights = weights.view(),
            .y = y.view(),
            .bias = with_bias ? bias.view() : View{},
            .activation = activation};
  }
  std::vector<Matrix*> outputs() { return {&y}; }

  Matrix x, weights, y, bias;
  bool with_bias;
  Activation activation;
};

void expect_like_reference(const Problem& problem) {
  SCOPED_TRACE(testing::Message() << problem.x.rows() << "×" << problem.weights.rows() << "×"
                                  << problem.x.cols());
  test::expect_like_reference(problem, &Kernels::packed_matmul, test::kToleranceF32,
                              std::sqrt(static_cast<double>(problem.x.cols())));
}

TEST(CpuPackedMatmul, IsTheReferencesForEveryNumberOfRows) {
  test::on_every_isa([] {
    for (const std::int64_t m : {1, 2, 3, 4, 5, 6, 7, 8, 9, 32, 128, 129, 300}) {
      expect_like_reference(Problem(m, 130, 67));
    }
  });
}

TEST(CpuPackedMatmul, IsTheReferencesForOddSizesAndEpilogues) {
  test::on_every_isa([] {
    for (const std::int64_t n : {1, 2, 15, 16, 17, 63, 64, 65, 127, 128, 1000}) {
      for (const std::int64_t k : {1, 2, 3, 16, 100}) {
        expect_like_reference(Problem(5, n, k));
      }
    }
    for (const std::int64_t m : {1, 4, 9}) {
      expect_like_reference(Problem(m, 512, 512, true, Activation::none));
      expect_like_reference(Problem(m, 100, 33, false, Activation::none));
      expect_like_reference(Problem(m, 100, 33, false, Activation::relu));
    }
    expect_like_reference(Problem(4, 64 * 65 + 7, 3));  // more panels than slices
  });
}

TEST(CpuPackedMatmul, OfNothingDoesNothing) {
  for (const Problem& problem : {Problem(0, 70, 5), Problem(3, 0, 5)}) {
    expect_like_reference(problem);
  }
}

TEST(CpuPackedMatmul, OverAnEmptySumGivesTheBias) { expect_like_reference(Problem(3, 70, 0)); }

TEST(CpuPackedMatmul, GivesARowTheSameBitsInAnyBatch) {
  test::on_every_isa([] {
    Problem all(140, 200, 77);
    cpu_kernels().packed_matmul(all.args(), test::two_threads());
    for (const std::int64_t m : {1, 2, 3, 4, 5, 6, 7, 13, 128}) {
      for (const std::int64_t first : {std::int64_t{0}, 140 - m}) {
        Problem some(140, 200, 77);
        PackedMatmulArgs args = some.args();
        args.x = {args.x.row<float>(first), m, 77, args.x.stride, DType::f32};
        args.y = {args.y.row<float>(first), m, 200, args.y.stride, DType::f32};
        cpu_kernels().packed_matmul(args, test::one_thread());
        for (std::int64_t i = first; i < first + m; ++i) {
          for (std::int64_t j = 0; j < 200; ++j) {
            ASSERT_EQ(some.y.at(i, j), all.y.at(i, j)) << m << " rows, at " << i << ", " << j;
          }
        }
      }
    }
  });
}

TEST(CpuPackedMatmul, CarriesInfinityAndNaNThrough) {
  Problem problem(7, 70, 4, true, Activation::none);
  problem.x.at(0, 0) = INFINITY;
  problem.x.at(6, 1) = NAN;
  cpu_kernels().packed_matmul(problem.args(), test::one_thread());
  EXPECT_TRUE(std::isinf(problem.y.at(0, 69)));
  EXPECT_TRUE(std::isnan(problem.y.at(6, 0)));
  EXPECT_TRUE(std::isfinite(problem.y.at(3, 3)));
}

TEST(CpuPackedMatmul, OfDoublesIsTheReferences) {
  std::vector<double> weights = {1, 2, 3, 4};
  std::vector<double> x = {1, 10};
  std::vector<double> y(2);
  const View view{weights.data(), 2, 2, 2, DType::f64};
  cpu_kernels().pack({.weights = view}, test::one_thread());
  EXPECT_EQ(weights, (std::vector<double>{1, 3, 2, 4}));
  cpu_kernels().packed_matmul(
      {.x = {x.data(), 1, 2, 2, DType::f64}, .weights = view, .y = {y.data(), 1, 2, 2, DType::f64}},
      test::one_thread());
  EXPECT_EQ(y, (std::vector<double>{21, 43}));
}

TEST(CpuPack, PutsPanelsWhereTheReferenceDoes) {
  for (const std::int64_t n : {0, 1, 3, 63, 64, 65, 200}) {
    for (const std::int64_t k : {0, 1, 5, 64, 100}) {
      Matrix expected = Matrix::random(n, k, 2);
      Matrix packed = expected;
      const Matrix stored = expected;
      reference_kernels().pack({.weights = expected.view()}, test::one_thread());
      cpu_kernels().pack({.weights = packed.view()}, test::two_threads());
      EXPECT_TRUE(packed == expected) << n << "×" << k;
      std::vector<float> row(static_cast<std::size_t>(k));
      for (std::int64_t i = 0; i < n; ++i) {
        copy_packed_row(packed.view(), i, row.data());
        for (std::int64_t j = 0; j < k; ++j) {
          ASSERT_EQ(row[static_cast<std::size_t>(j)], stored.at(i, j)) << i << ", " << j;
        }
      }
    }
  }
}

}  // namespace
}  // namespace yona
