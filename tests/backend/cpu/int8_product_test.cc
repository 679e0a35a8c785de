// The product with one panel: narrow panels, and rows side by side by every way there is.

#include "yona/backend/cpu/int8_product.h"

#include <gtest/gtest.h>

#include "yona/backend/cpu/int8_rows.h"

#include "tests/backend/cpu/int8_problem.h"

namespace yona {
namespace {

using test::Int8Memory;
using test::Matrix;

struct Problem {
  Problem(std::int64_t rows, std::int64_t columns, std::int64_t k)
      : stored(Matrix::random(columns, k, 2)),
        weights(columns, k),
        stride(weights.size / kPanelRows),
        bytes(static_cast<std::size_t>(rows * stride)),
        scales(static_cast<std::size_t>(rows)),
        y(rows, columns, 4) {
    reference_kernels().quantise({.weights = stored.view(), .to = weights.weights()},
                                 test::one_thread());
    Matrix x = Matrix::random(rows, k, 1);
    for (std::int64_t i = 0; i < rows; ++i) {
      scales[static_cast<std::size_t>(i)] = cpu::round_to_offset_bytes(
          x.view().row<float>(i), k, bytes.data() + static_cast<std::size_t>(i * stride));
    }
  }
  cpu::Int8Product product() {
    return {.x = bytes.data(),
            .x_stride = stride,
            .x_scales = scales.data(),
            .rows = y.rows(),
            .groups = stride / kInt8Group,
            .panel = weights.values.data(),
            .scales = weights.scales.data(),
            .sums = weights.sums.data(),
            .y = y.view().row<float>(0),
            .y_stride = y.view().stride};
  }

  Matrix stored;
  Int8Memory weights;
  std::int64_t stride;
  std::vector<std::uint8_t> bytes;
  std::vector<float> scales;
  Matrix y;
};

TEST(Int8Product, OfANarrowPanelWritesNoMore) {
  test::on_every_isa([] {
    for (const std::int64_t rows : {1, 5, 50, 100}) {
      for (const std::int64_t columns : {1, 40, 63}) {
        Problem narrow(rows, columns, 37);
        cpu::multiply_int8_panel(narrow.product(), columns);
        EXPECT_TRUE(narrow.y.padding_is_untouched()) << rows << ", " << columns;
        EXPECT_NE(narrow.y.at(rows - 1, columns - 1), 0.0F);
      }
    }
  });
}

TEST(Int8Product, OfARowIsThatOfItsPanels) {
  test::on_every_isa([] {
    for (const std::int64_t panels : {1, 2, 3, 4, 5, 7, 8}) {
      Problem together(1, panels * kPanelRows, 70);
      Problem apart = together;
      cpu::multiply_int8_row(together.product(), panels);
      for (std::int64_t p = 0; p < panels; ++p) {
        cpu::Int8Product one = apart.product();
        one.panel += p * apart.weights.size;
        one.scales += p * kPanelRows;
        one.sums += p * kPanelRows;
        one.y += p * kPanelRows;
        cpu::multiply_int8_panel(one);
      }
      EXPECT_TRUE(together.y == apart.y) << panels;
    }
  });
}

}  // namespace
}  // namespace yona
