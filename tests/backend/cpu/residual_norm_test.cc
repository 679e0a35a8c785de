// Residual sum, dropout and layer normalisation against the reference.

#include "tests/backend/cpu/kernel_test.h"

namespace yona {
namespace {

using test::Matrix;

struct Problem {
  Problem(std::int64_t rows, std::int64_t cols, double p, bool residual)
      : x(Matrix::random(rows, cols, 1, 3)),
        r(Matrix::random(rows, cols, 2, 1)),
        s(rows, cols, 2),
        y(rows, cols, 4),
        weight(Matrix::random(1, cols, 3)),
        bias(Matrix::random(1, cols, 4)),
        statistics(rows, 2),
        keys(test::row_keys(rows)),
        dropout(Dropout::with(p, 99, 7)),
        has_residual(residual) {}
  ResidualNormArgs args() {
    return {.x = x.view(),
            .r = has_residual ? r.view() : View{},
            .s = has_residual ? s.view() : View{},
            .y = y.view(),
            .weight = weight.view(),
            .bias = bias.view(),
            .statistics = statistics.view(),
            .epsilon = 1e-5F,
            .row_keys = keys.data(),
            .dropout = dropout};
  }
  std::vector<Matrix*> outputs() { return {&s, &y, &statistics}; }

  Matrix x, r, s, y, weight, bias, statistics;
  std::vector<std::uint64_t> keys;
  Dropout dropout;
  bool has_residual;
};

TEST(CpuResidualNorm, IsTheReferences) {
  test::on_every_isa([] {
    for (const std::int64_t cols : test::kWidths) {
      for (const std::int64_t rows : {0, 1, 5, 300}) {
        SCOPED_TRACE(testing::Message() << rows << "×" << cols);
        // One or three channels may lie so close together that 1/σ is in the thousands.
        const double tolerance = cols < 16 ? 1e-3 : test::kToleranceF32;
        for (const double p : {0.0, 0.3}) {
          test::expect_like_reference(Problem(rows, cols, p, true), &Kernels::residual_norm,
                                      tolerance);
        }
        test::expect_like_reference(Problem(rows, cols, 0, false), &Kernels::residual_norm,
                                    tolerance);
      }
    }
  });
}

TEST(CpuResidualNorm, KeepsDigitsWhereTheMeanIsLarge) {
  test::on_every_isa([] {
    Problem problem(4, 100, 0, false);
    for (std::int64_t i = 0; i < 4; ++i) {
      for (std::int64_t j = 0; j < 100; ++j) {
        problem.x.at(i, j) += 1000;
      }
    }
    test::expect_like_reference(problem, &Kernels::residual_norm, 1e-3);
  });
}

TEST(CpuResidualNorm, CarriesNaNThroughItsRowAlone) {
  test::on_every_isa([] {
    Problem problem(3, 40, 0.3, true);
    problem.x.at(1, 39) = NAN;
    cpu_kernels().residual_norm(problem.args(), test::one_thread());
    for (std::int64_t j = 0; j < 40; ++j) {
      EXPECT_TRUE(std::isfinite(problem.y.at(0, j)));
      EXPECT_TRUE(std::isnan(problem.y.at(1, j)));
      EXPECT_TRUE(std::isfinite(problem.y.at(2, j)));
    }
  });
}

TEST(CpuResidualNorm, OfDoublesIsTheReferences) {
  std::vector<double> x = {1, 3};
  std::vector<double> ones = {1, 1};
  std::vector<double> zeros = {0, 0};
  std::vector<double> y(2);
  std::vector<double> statistics(2);
  const auto row = [](std::vector<double>& values) {
    return View{values.data(), 1, 2, 2, DType::f64};
  };
  cpu_kernels().residual_norm({.x = row(x),
                               .y = row(y),
                               .weight = row(ones),
                               .bias = row(zeros),
                               .statistics = row(statistics),
                               .epsilon = 0.0F},
                              test::one_thread());
  EXPECT_EQ(y, (std::vector<double>{-1, 1}));
}

}  // namespace
}  // namespace yona
