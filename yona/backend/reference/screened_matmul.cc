// Screens of packed weights, and the product that is exact only where it may be largest, as plain
// loops.

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "yona/backend/panels.h"
#include "yona/backend/reference/dispatch.h"
#include "yona/backend/registration.h"

namespace yona::reference {

namespace {

std::int8_t* screen_value(const Screen& screen, std::int64_t row, std::int64_t j) {
  return screen.values.row<std::int8_t>(row / kPanelRows) + j * kPanelRows + row % kPanelRows;
}

template <class T>
void screen_weights(const ScreenArgs& args) {
  const std::int64_t k = args.weights.cols;
  std::vector<T> row(static_cast<std::size_t>(k));
  std::fill_n(args.screen.values.row<std::int8_t>(0),
              args.screen.values.rows * args.screen.values.cols, std::int8_t{0});
  for (std::int64_t r = 0; r < args.weights.rows; ++r) {
    copy_packed_row(args.weights, r, row.data());
    double largest = 0;
    for (const T w : row) {
      largest = std::max(largest, std::abs(static_cast<double>(w)));
    }
    const double scale = largest / 127;
    double squares = 0, error_squares = 0;
    for (std::int64_t j = 0; j < k; ++j) {
      const auto w = static_cast<double>(row[static_cast<std::size_t>(j)]);
      const double value = scale > 0 ? std::nearbyint(w / scale) : 0;
      *screen_value(args.screen, r, j) = static_cast<std::int8_t>(value);
      squares += w * w;
      error_squares += (w - scale * value) * (w - scale * value);
    }
    args.screen.scales.row<float>(0)[r] = static_cast<float>(scale);
    args.screen.errors.row<float>(0)[r] =
        static_cast<float>(screen_error(std::sqrt(error_squares), std::sqrt(squares), k));
  }
}

template <class T>
double exact(const ScreenedMatmulArgs& args, std::int64_t i, std::int64_t r, std::vector<T>& row) {
  copy_packed_row(args.weights, r, row.data());
  double sum = 0;
  for (std::size_t j = 0; j < row.size(); ++j) {
    sum += static_cast<double>(args.x.row<T>(i)[j]) * static_cast<double>(row[j]);
  }
  return sum;
}

template <class T>
void screened_product(const ScreenedMatmulArgs& args) {
  std::vector<T> row(static_cast<std::size_t>(args.weights.cols));
  const auto error = [&](std::int64_t r) {
    return static_cast<double>(args.screen.errors.row<float>(0)[r]);
  };
  for (std::int64_t i = 0; i < args.y.rows; ++i) {
    const T* x = args.x.row<T>(i);
    T* y = args.y.row<T>(i);
    double squares = 0;
    for (std::int64_t j = 0; j < args.x.cols; ++j) {
      squares += static_cast<double>(x[j]) * static_cast<double>(x[j]);
    }
    const double norm = std::sqrt(squares);
    std::vector<double> below;  // what an element is at least
    for (std::int64_t r = 0; r < args.y.cols; ++r) {
      double sum = 0;
      for (std::int64_t j = 0; j < args.x.cols; ++j) {
        sum += static_cast<double>(x[j]) * *screen_value(args.screen, r, j);
      }
      y[r] = static_cast<T>(sum * static_cast<double>(args.screen.scales.row<float>(0)[r]));
      below.push_back(static_cast<double>(y[r]) - error(r) * norm);
    }
    std::sort(below.begin(), below.end(), std::greater<>());
    const double threshold =
        args.largest <= args.y.cols ? below[static_cast<std::size_t>(args.largest - 1)] : -INFINITY;
    for (std::int64_t r = 0; r < args.y.cols; ++r) {
      if (!(static_cast<double>(y[r]) + error(r) * norm < threshold)) {
        y[r] = static_cast<T>(exact(args, i, r, row));
      }
    }
  }
}

void screen(const ScreenArgs& args, Exec& /*exec*/) {
  with_type(args.weights.dtype, "screen", [&](auto t) { screen_weights<decltype(t)>(args); });
}

void screened_matmul(const ScreenedMatmulArgs& args, Exec& /*exec*/) {
  with_type(args.y.dtype, "screened_matmul", [&](auto t) { screened_product<decltype(t)>(args); });
}

const Registration registration(BackendKind::reference, [](Kernels& table) {
  table.screen = screen;
  table.screened_matmul = screened_matmul;
});

}  // namespace
}  // namespace yona::reference
