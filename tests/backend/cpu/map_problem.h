// Kernels that map each number to one (GELU, tanh …), and their gradients, against the reference.
#pragma once

#include <vector>

#include "tests/backend/cpu/kernel_test.h"

namespace yona::test {

struct MapForward {
  Matrix x, y;
  RowsArgs args() { return {x.view(), y.view()}; }
  std::vector<Matrix*> outputs() { return {&y}; }
};

// x is what the gradient is computed from: the kernel's input, or its output.
struct MapBackward {
  Matrix x, dy, dx;
  bool accumulate;
  RowsBackwardArgs args() { return {x.view(), dy.view(), dx.view(), accumulate}; }
  std::vector<Matrix*> outputs() { return {&dx}; }
};

struct MapCase {
  Kernel<RowsArgs> Kernels::*forward;
  Kernel<RowsBackwardArgs> Kernels::*backward;
  double tolerance = kToleranceF32;  // of the forward kernel
  double backward_range = 6.0;       // of what gradients are computed from
};

// On every instruction set, for widths around vectors and whole ones.
inline void expect_maps_like_reference(const std::vector<MapCase>& cases) {
  on_every_isa([&] {
    for (const std::int64_t cols : kWidths) {
      for (const std::int64_t rows : {0, 1, 100}) {
        SCOPED_TRACE(testing::Message() << rows << "×" << cols);
        const Matrix dy = Matrix::random(rows, cols, 2);
        for (const MapCase& each : cases) {
          const Matrix x = Matrix::random(rows, cols, 1, 3, 6.0);
          expect_like_reference(MapForward{x, Matrix(rows, cols, 1)}, each.forward, each.tolerance);
          const Matrix from = Matrix::random(rows, cols, 1, 3, each.backward_range);
          for (const bool accumulate : {false, true}) {
            expect_like_reference(MapBackward{from, dy, dy, accumulate}, each.backward);
          }
        }
      }
    }
  });
}

}  // namespace yona::test
