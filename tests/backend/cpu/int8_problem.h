// Weights in bytes for the tests of int8 kernels.
#pragma once

#include <vector>

#include "yona/backend/panels.h"

#include "tests/backend/cpu/kernel_test.h"

namespace yona::test {

// Int8Weights with memory of their own, soiled so that what a kernel forgets is seen.
struct Int8Memory {
  Int8Memory(std::int64_t n, std::int64_t k)
      : panels((n + kPanelRows - 1) / kPanelRows),
        size(int8_panel_size(k)),
        values(static_cast<std::size_t>(panels * size + 1), 77),
        scales(static_cast<std::size_t>(panels * kPanelRows + 1), 1e9F),
        sums(static_cast<std::size_t>(panels * kPanelRows + 1), 12345) {}
  Int8Weights weights() {
    return {{values.data(), panels, size, size, DType::i8},
            {scales.data(), 1, panels * kPanelRows, panels * kPanelRows, DType::f32},
            {sums.data(), 1, panels * kPanelRows, panels * kPanelRows, DType::i32}};
  }
  // Element j of row r, as it was rounded.
  std::int8_t value(std::int64_t r, std::int64_t j) const {
    return values[static_cast<std::size_t>(r / kPanelRows * size + int8_place(r % kPanelRows, j))];
  }

  std::int64_t panels, size;
  std::vector<std::int8_t> values;
  std::vector<float> scales;
  std::vector<std::int32_t> sums;
};

}  // namespace yona::test
