// The product of bytes behind int8_matmul: a few rows of x with one panel of weights, whose sums
// stay in registers while the panel is read from front to back. By VNNI where the CPU has it (four
// products and their sum in one instruction), else by products of 16-bit words.
#pragma once

#include <cmath>
#include <cstdint>

#include "yona/backend/kernel_args.h"

namespace yona::cpu {

// x is stored with kInt8Offset added, so that it is unsigned as VNNI wants it.
inline constexpr std::int32_t kInt8Offset = 128;

// Some rows of x and one panel, and where their product goes: kPanelRows columns of as many rows.
struct Int8Product {
  const std::uint8_t* x = nullptr;
  std::int64_t x_stride = 0;  // bytes
  const float* x_scales = nullptr;
  std::int64_t rows = 0;
  std::int64_t groups = 0;  // of the sum
  const std::int8_t* panel = nullptr;
  bool last = true;  // in memory: nothing of interest follows the panel
  const float* scales = nullptr;
  const std::int32_t* sums = nullptr;
  float* y = nullptr;
  std::int64_t y_stride = 0;
  const float* bias = nullptr;  // null: none
  float least = -INFINITY;      // 0 for relu
};

// columns < kPanelRows: y and bias have no more.
void multiply_int8_panel(const Int8Product& product, std::int64_t columns = kPanelRows);

// One row (product.rows == 1) with whole panels that follow one another in memory.
void multiply_int8_row(const Int8Product& product, std::int64_t panels);

// One whole panel by AVX-512 VNNI alone.
bool cpu_has_vnni();
void multiply_by_vnni(const Int8Product& product);

}  // namespace yona::cpu
