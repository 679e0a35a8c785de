// Where the elements of packed weights lie (PackArgs and Int8Weights in kernel_args.h).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

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

// Packed weights of 2 bytes, bf16 or f16, have whole panels: [k][kPanelRows], zeros in the rows
// that the last one has not. So the first rows of a matrix are packed as they are in the whole.
inline bool is_half(const View& weights) { return size_of(weights.dtype) == 2; }
inline std::uint16_t* half_panel(const View& weights, std::int64_t index) {
  return static_cast<std::uint16_t*>(weights.data) + index * kPanelRows * weights.cols;
}

// Row `row` of the weights as they were before, to k adjacent elements.
template <class T>
void copy_packed_row(const View& weights, std::int64_t row, T* to) {
  if (is_half(weights)) {
    const std::uint16_t* from = half_panel(weights, row / kPanelRows) + row % kPanelRows;
    for (std::int64_t j = 0; j < weights.cols; ++j) {
      const std::uint16_t word = from[j * kPanelRows];
      to[j] = static_cast<T>(weights.dtype == DType::bf16 ? from_bf16(word) : from_f16(word));
    }
    return;
  }
  const Panel<T> panel = panel_of<T>(weights, row / kPanelRows);
  const T* from = panel.data + row % kPanelRows;
  for (std::int64_t j = 0; j < weights.cols; ++j) {
    to[j] = from[j * panel.rows];
  }
}

// Elements of a panel of Int8Weights with rows of k.
constexpr std::int64_t int8_panel_size(std::int64_t k) {
  return (k + kInt8Group - 1) / kInt8Group * kInt8Group * kPanelRows;
}

// Where element j of row r of such a panel is.
constexpr std::int64_t int8_place(std::int64_t r, std::int64_t j) {
  return (j / kInt8Group * kPanelRows + r) * kInt8Group + j % kInt8Group;
}

// Row `row` of the weights as they are about, to k adjacent elements.
inline void copy_int8_row(const Int8Weights& weights, std::int64_t row, std::int64_t k, float* to) {
  const std::int8_t* panel = weights.values.row<std::int8_t>(row / kPanelRows);
  const float scale = weights.scales.row<float>(0)[row];
  for (std::int64_t j = 0; j < k; ++j) {
    to[j] = scale * static_cast<float>(panel[int8_place(row % kPanelRows, j)]);
  }
}

// Row `row` of the weights, rows of k, to row `place` of others.
inline void move_int8_row(const Int8Weights& weights, std::int64_t row, std::int64_t k,
                          const Int8Weights& to, std::int64_t place) {
  const std::int8_t* from = weights.values.row<std::int8_t>(row / kPanelRows);
  std::int8_t* panel = to.values.row<std::int8_t>(place / kPanelRows);
  for (std::int64_t j = 0; j < k; j += kInt8Group) {
    std::memcpy(panel + int8_place(place % kPanelRows, j), from + int8_place(row % kPanelRows, j),
                kInt8Group);
  }
  to.scales.row<float>(0)[place] = weights.scales.row<float>(0)[row];
  to.sums.row<std::int32_t>(0)[place] = weights.sums.row<std::int32_t>(0)[row];
}

// Zeros in a row.
inline void clear_int8_row(const Int8Weights& weights, std::int64_t row, std::int64_t k) {
  std::int8_t* panel = weights.values.row<std::int8_t>(row / kPanelRows);
  for (std::int64_t j = 0; j < k; j += kInt8Group) {
    std::memset(panel + int8_place(row % kPanelRows, j), 0, kInt8Group);
  }
  weights.scales.row<float>(0)[row] = 0.0F;
  weights.sums.row<std::int32_t>(0)[row] = 0;
}

// What a row with this largest |element| is divided by to become bytes, and multiplied with to
// become bytes. Rows of zeros, or of next to nothing, become zeros.
struct Int8Scale {
  float scale = 0.0F, inverse = 0.0F;
};
inline Int8Scale int8_scale(float largest) {
  constexpr float kMost = 127.0F;
  constexpr float kNothing = 1e-30F;
  if (!std::isfinite(largest)) {
    return {NAN, 0.0F};
  }
  return largest < kNothing ? Int8Scale{} : Int8Scale{largest / kMost, kMost / largest};
}

// The error of a row in a Screen: what its rounding may do to a product, for each unit of ‖x‖, and
// what a sum of k products in f32, in any order, may be off by, once for each of the two products.
inline double screen_error(double rounding_norm, double norm, std::int64_t k) {
  constexpr double kUnit = 1.0 / (1 << 23);
  return rounding_norm * (1 + 1e-4) + 2 * static_cast<double>(k + 8) * kUnit * norm;
}

}  // namespace yona
