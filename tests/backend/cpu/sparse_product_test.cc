// Rows that are mostly zeros: the places that are found, and the bits of the dense product.

#include "yona/backend/cpu/sparse_product.h"

#include <gtest/gtest.h>

#include "tests/backend/cpu/kernel_test.h"

namespace yona {
namespace {

using test::Matrix;
using Places = std::vector<std::int32_t>;

Places places_of(Matrix& x) {
  const auto found = cpu::find_places(
      {.x = x.view().row<float>(0), .x_stride = x.view().stride, .rows = x.rows(), .k = x.cols()});
  return {found.begin(), found.end()};
}

TEST(SparsePlaces, AreThoseWhereAnyRowIsNotZero) {
  test::on_every_isa([] {
    Matrix x(3, 70, 2);
    x.at(0, 5) = 1;
    x.at(2, 5) = -1;
    x.at(1, 16) = 1e-40F;
    x.at(0, 31) = -0.0F;
    x.at(2, 69) = NAN;
    EXPECT_EQ(places_of(x), (Places{5, 16, 69}));
  });
}

TEST(SparsePlaces, AreNoneWhereMoreThanHalfOfThemAreUsed) {
  test::on_every_isa([] {
    for (const std::int64_t k : {1, 2, 40, 41, 2048}) {
      Matrix x(1, k);
      for (std::int64_t j = 0; j < k / 2; ++j) {
        x.at(0, k - 1 - j) = 1;
      }
      EXPECT_EQ(static_cast<std::int64_t>(places_of(x).size()), k / 2) << k;
      x.at(0, 0) = 1;
      EXPECT_TRUE(places_of(x).empty()) << k;
    }
  });
}

// One element in eight of each row, and a row of nothing.
Matrix sparse_rows(std::int64_t rows, std::int64_t k) {
  Matrix x = Matrix::random(rows, k, 1, 3);
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < k; ++j) {
      x.at(i, j) = i != 2 && (j * 37 + i * 11) % 8 == 0 ? x.at(i, j) : 0.0F;
    }
  }
  return x;
}

TEST(SparseProduct, GivesARowTheBitsItHasInALargeBatch) {
  constexpr std::int64_t kMany = 9;  // too many to look for zeros
  test::on_every_isa([] {
    for (const std::int64_t n : {7, 64, 130, 512, 64 * 9 + 5}) {
      for (const std::int64_t k : {8, 100, 515}) {
        Matrix x = sparse_rows(kMany, k);
        Matrix weights = Matrix::random(n, k, 2);
        Matrix bias = Matrix::random(1, n, 4);
        Matrix expected(kMany, n, 5);
        const auto multiply = [&](const View& rows, const View& y, Exec& exec) {
          cpu_kernels().packed_matmul(
              {.x = rows, .weights = weights.view(), .y = y, .bias = bias.view()}, exec);
        };
        multiply(x.view(), expected.view(), test::one_thread());
        for (std::int64_t m = 1; m <= 5; ++m) {
          Matrix some(m, n, 5);
          const View all = x.view();
          const View rows{all.row<float>(0), m, k, all.stride, DType::f32};
          multiply(rows, some.view(), m % 2 == 0 ? test::two_threads() : test::one_thread());
          EXPECT_TRUE(some.padding_is_untouched());
          for (std::int64_t i = 0; i < m * n; ++i) {
            ASSERT_EQ(some.at(i / n, i % n), expected.at(i / n, i % n))
                << m << " rows, " << n << "×" << k << ", at " << i / n << ", " << i % n;
          }
        }
      }
    }
  });
}

}  // namespace
}  // namespace yona
