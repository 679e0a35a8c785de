// Where the elements of packed weights lie (PackArgs in kernel_args.h).
#pragma once

#include <algorithm>
#include <cstdint>

#include "yona/backend/kernel_args.h"

namespace yona {

// Rows `first` … of weights [n, k], of which there are `rows`: element (first + r, j) is
// data[j · rows + r].
template <class T>
struct Panel {
  T* data = nullptr;
  std::int64_t first = 0, rows = 0;
};

inline std::int64_t panel_count(const View& weights) {
  return (weights.rows + kPanelRows - 1) / kPanelRows;
}

template <class T>
Panel<T> panel_of(const View& weights, std::int64_t index) {
  const std::int64_t first = index * kPanelRows;
  return {static_cast<T*>(weights.data) + first * weights.cols, first,
          std::min(kPanelRows, weights.rows - first)};
}

// Row `row` of the weights as they were before, to k adjacent elements.
template <class T>
void copy_packed_row(const View& weights, std::int64_t row, T* to) {
  const Panel<T> panel = panel_of<T>(weights, row / kPanelRows);
  const T* from = panel.data + row % kPanelRows;
  for (std::int64_t j = 0; j < weights.cols; ++j) {
    to[j] = from[j * panel.rows];
  }
}

// The error of a row in a Screen: what its rounding may do to a product, for each unit of ‖x‖, and
// what a sum of k products in f32, in any order, may be off by, once for each of the two products.
inline double screen_error(double rounding_norm, double norm, std::int64_t k) {
  constexpr double kUnit = 1.0 / (1 << 23);
  return rounding_norm * (1 + 1e-4) + 2 * static_cast<double>(k + 8) * kUnit * norm;
}

}  // namespace yona
