// The product with one panel: pieces of the sum, what is there already, narrow panels.

#include "yona/backend/cpu/panel_product.h"

#include <gtest/gtest.h>

#include "tests/backend/cpu/kernel_test.h"

namespace yona {
namespace {

using test::Matrix;

struct Problem {
  Problem(std::int64_t rows, std::int64_t k, std::int64_t columns)
      : x(Matrix::random(rows, k, 1, 2)),
        panel(Matrix::random(k, kPanelRows, 2)),
        y(Matrix::random(rows, columns, 3, 4)),
        bias(Matrix::random(1, columns, 4)) {
    for (std::int64_t j = 0; j < k; ++j) {
      std::fill_n(&panel.at(j, 0) + columns, kPanelRows - columns, 0.0F);
    }
  }
  cpu::PanelProduct product() {
    return {.x = x.view().row<float>(0),
            .x_stride = x.view().stride,
            .rows = x.rows(),
            .k = x.cols(),
            .panel = panel.view().row<float>(0),
            .y = y.view().row<float>(0),
            .y_stride = y.view().stride,
            .bias = bias.view().row<float>(0),
            .least = 0.0F};
  }
  // y ← relu((y) + x · panel + bias)
  Matrix expected(bool adds) const {
    Matrix sums = y;
    for (std::int64_t i = 0; i < y.rows(); ++i) {
      for (std::int64_t j = 0; j < y.cols(); ++j) {
        double sum = static_cast<double>(bias.at(0, j));
        sum += adds ? static_cast<double>(y.at(i, j)) : 0.0;
        for (std::int64_t l = 0; l < x.cols(); ++l) {
          sum += static_cast<double>(x.at(i, l)) * static_cast<double>(panel.at(l, j));
        }
        sums.at(i, j) = static_cast<float>(std::max(sum, 0.0));
      }
    }
    return sums;
  }

  Matrix x, panel, y, bias;
};

TEST(PanelProduct, AddsToWhatIsThereWhereTheSumDoesNotStart) {
  test::on_every_isa([] {
    for (const std::int64_t rows : {1, 2, 5, 6, 7, 50, 126}) {
      for (const std::int64_t columns : {1, 40, 63, 64}) {
        for (const bool starts : {true, false}) {
          Problem problem(rows, 37, columns);
          const Matrix expected = problem.expected(!starts);
          cpu::PanelProduct product = problem.product();
          product.starts = starts;
          cpu::multiply_panel(product, columns);
          EXPECT_TRUE(test::is_near(problem.y, expected, test::kToleranceF32, 6))
              << rows << " rows, " << columns << " columns";
        }
      }
    }
  });
}

TEST(PanelProduct, GivesTheSameBitsInPieces) {
  test::on_every_isa([] {
    for (const std::int64_t rows : {1, 6, 20}) {
      Problem whole(rows, 1300, 64);
      Problem pieces = whole;
      cpu::multiply_panel(whole.product());
      for (const auto& [begin, end] : {std::pair{0, 5}, {5, 700}, {700, 1300}}) {
        cpu::PanelProduct piece = pieces.product();
        piece.x += begin;
        piece.panel += begin * kPanelRows;
        piece.k = end - begin;
        piece.starts = begin == 0;
        piece.ends = end == 1300;
        cpu::multiply_panel(piece);
      }
      EXPECT_TRUE(whole.y == pieces.y) << rows;
    }
  });
}

}  // namespace
}  // namespace yona
