// The product behind all f32 matrix products on the CPU: a few rows of x with one panel of weights,
// [k][64], which is read from front to back while the sums stay in registers (6 rows × 64 columns
// in AVX-512). The sum over k runs from first to last whatever the number of rows: a row's bits do
// not depend on the others.
#pragma once

#include <cmath>
#include <cstdint>

#include "yona/backend/kernel_args.h"

namespace yona::cpu {

// Some rows of x, one panel or a piece of it, and where their product goes: 64 columns of as many
// rows of y.
struct PanelProduct {
  const float* x = nullptr;
  std::int64_t x_stride = 0;
  std::int64_t rows = 0, k = 0;
  const float* panel = nullptr;
  bool last = true;  // in memory: nothing of interest follows the panel
  float* y = nullptr;
  std::int64_t y_stride = 0;
  bool starts = true;           // else y has the sums of earlier pieces
  bool ends = true;             // else later pieces follow
  const float* bias = nullptr;  // null: none; for the last piece, as is:
  float least = -INFINITY;      // 0 for relu
};

// The product moved on by some panels.
inline PanelProduct after_panels(PanelProduct product, std::int64_t panels) {
  // Panels of 16-bit weights are not here.
  product.panel =
      product.panel != nullptr ? product.panel + panels * product.k * kPanelRows : nullptr;
  product.y += panels * kPanelRows;
  product.bias = product.bias != nullptr ? product.bias + panels * kPanelRows : nullptr;
  return product;
}

// columns < 64: the panel has that many, zeros in the others, and y is not wider.
void multiply_panel(const PanelProduct& product, std::int64_t columns = kPanelRows);

// One row (product.rows == 1) with up to kPanelsAtOnce whole panels that follow one another in
// memory, all of the sum: they are read side by side, because several streams come from memory
// faster than one (1.25 times in AVX-512). The bits are those of multiply_panel().
inline constexpr std::int64_t kPanelsAtOnce = 7;
void multiply_row(const PanelProduct& product, std::int64_t panels);

}  // namespace yona::cpu
