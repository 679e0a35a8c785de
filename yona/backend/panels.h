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

}  // namespace yona
