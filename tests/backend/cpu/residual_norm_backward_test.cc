// Gradients of residual sum, dropout and layer normalisation against the reference.

#include "tests/backend/cpu/kernel_test.h"

namespace yona {
namespace {

using test::Matrix;

struct Options {
  double p = 0;
  bool residual = true, ds = true, dx = true, dr = true, weights = true;
  bool accumulate_dx = false, accumulate_dr = false;
};

struct Problem {
  Problem(std::int64_t rows, std::int64_t cols, const Options& chosen)
      : options(chosen),
        s(Matrix::random(rows, cols, 1, 3)),
        weight(Matrix::random(1, cols, 3)),
        statistics(rows, 2),
        dy(Matrix::random(rows, cols, 5, 1)),
        ds(Matrix::random(rows, cols, 6)),
        dx(Matrix::random(rows, cols, 7, 2)),
        dr(Matrix::random(rows, cols, 8, 4)),
        dweight(Matrix::random(1, cols, 9)),
        dbias(Matrix::random(1, cols, 10)),
        keys(test::row_keys(rows)) {
    for (std::int64_t i = 0; i < rows; ++i) {
      statistics.at(i, 0) = 0.01F * static_cast<float>(i % 5);
      statistics.at(i, 1) = 1.5F;
    }
  }
  ResidualNormBackwardArgs args() {
    const View no_view;
    return {.forward = {.x = options.residual ? no_view : s.view(),
                        .r = options.residual ? s.view() : no_view,
                        .s = options.residual ? s.view() : no_view,
                        .weight = weight.view(),
                        .statistics = statistics.view(),
                        .row_keys = keys.data(),
                        .dropout = Dropout::with(options.p, 99, 7)},
            .dy = dy.view(),
            .ds = options.ds ? ds.view() : no_view,
            .dx = options.dx ? dx.view() : no_view,
            .dr = options.dr ? dr.view() : no_view,
            .accumulate_dx = options.accumulate_dx,
            .accumulate_dr = options.accumulate_dr,
            .dweight = options.weights ? dweight.view() : no_view,
            .dbias = options.weights ? dbias.view() : no_view};
  }
  std::vector<Matrix*> outputs() { return {&dx, &dr, &dweight, &dbias}; }

  Options options;
  Matrix s, weight, statistics, dy, ds, dx, dr, dweight, dbias;
  std::vector<std::uint64_t> keys;
};

TEST(CpuResidualNormBackward, IsTheReferences) {
  test::on_every_isa([] {
    for (const std::int64_t cols : test::kWidths) {
      for (const std::int64_t rows : {0, 1, 5, 300}) {
        for (const Options& options :
             {Options{.p = 0.3}, Options{.p = 0.3, .accumulate_dx = true, .accumulate_dr = true},
              Options{.residual = false, .ds = false, .dr = false},
              Options{.p = 0.1, .dx = false, .weights = false},
              Options{.ds = false, .dx = false, .dr = false}}) {
          SCOPED_TRACE(testing::Message() << rows << "×" << cols);
          test::expect_like_reference(Problem(rows, cols, options),
                                      &Kernels::residual_norm_backward, test::kToleranceF32, 10);
        }
      }
    }
  });
}

TEST(CpuResidualNormBackward, OfDoublesIsTheReferences) {
  std::vector<double> s = {1, 3};
  std::vector<double> ones = {1, 1};
  std::vector<double> statistics = {2, 1};
  std::vector<double> dy = {1, 0};
  std::vector<double> dx(2, 7);
  const auto row = [](std::vector<double>& values) {
    return View{values.data(), 1, 2, 2, DType::f64};
  };
  cpu_kernels().residual_norm_backward(
      {.forward = {.x = row(s), .weight = row(ones), .statistics = row(statistics)},
       .dy = row(dy),
       .dx = row(dx)},
      test::one_thread());
  EXPECT_EQ(dx, (std::vector<double>{0, 0}));  // two normalised values have no freedom left
}

}  // namespace
}  // namespace yona
