// The product of bytes behind int8_matmul: a few rows of x with one panel of weights, whose sums
// stay in registers while the panel is read from front to back. By VNNI where the CPU has it (four
// products and their sum in one instruction), else by products of 16-bit words.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>

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

// The product moved on by some panels.
inline Int8Product after_panels(Int8Product product, std::int64_t panels) {
  product.panel += panels * product.groups * kPanelRows * kInt8Group;
  product.scales += panels * kPanelRows;
  product.sums += panels * kPanelRows;
  product.y += panels * kPanelRows;
  product.bias = product.bias != nullptr ? product.bias + panels * kPanelRows : nullptr;
  return product;
}

// columns < kPanelRows: y and bias have no more.
void multiply_int8_panel(const Int8Product& product, std::int64_t columns = kPanelRows);

// One row (product.rows == 1) with whole panels that follow one another in memory.
void multiply_int8_row(const Int8Product& product, std::int64_t panels);

// A few rows that are mostly zeros, as behind a ReLU: the groups of the sum where not all elements
// are zero, rising. Empty where skipping the others gains nothing: they are few, an element is
// negative, there are more than kMostSparseInt8Rows rows, or the CPU has no VNNI. Valid until this
// thread's next call.
inline constexpr std::int64_t kMostSparseInt8Rows = 4;
std::span<const std::int32_t> find_int8_groups(const Int8Product& product);

// The product with whole panels that follow one another in memory, at those groups alone: the same
// integers as from all of them.
void multiply_int8_groups(const Int8Product& product, std::int64_t panels,
                          std::span<const std::int32_t> groups);

// One whole panel by AVX-512 VNNI alone.
bool cpu_has_vnni();
void multiply_by_vnni(const Int8Product& product);

}  // namespace yona::cpu
