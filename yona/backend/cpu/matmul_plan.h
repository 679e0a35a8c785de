// How a product is cut into slices for the pool: by the problem's size alone, so that the bits do
// not depend on the number of threads.
//
// Slices are large enough to keep oneDNN near its peak, small enough that their operands stay in
// the second-level cache, and 4 to 16 in number so that several threads finish together
// (bench/ops/matmul_bench.cc holds the measurements behind the constants).
#pragma once

#include <algorithm>
#include <cstdint>

namespace yona::cpu {

constexpr std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }
constexpr std::int64_t round_up(std::int64_t a, std::int64_t b) { return divide_up(a, b) * b; }

struct MatmulPlan {
  // The product c[m, n] = Σ_k is cut into blocks of these sizes; the last of each may be smaller.
  std::int64_t m = 0, n = 0, k = 0;
  std::int64_t row_block = 0, col_block = 0, depth_block = 0;

  std::int64_t row_blocks() const { return divide_up(m, row_block); }
  std::int64_t col_blocks() const { return divide_up(n, col_block); }
  // More than one: partial sums are kept apart and added in order at the end.
  std::int64_t depth_blocks() const { return divide_up(k, depth_block); }
  std::int64_t slices() const { return row_blocks() * col_blocks() * depth_blocks(); }
};

inline constexpr std::int64_t kRowUnit = 16;  // rows of a block are a multiple, but for the rest

// Rows are tokens (forward, and gradients of inputs): about 256 rows a slice, an even number of
// slices; columns are cut where the weights' share would leave the cache.
inline MatmulPlan plan_rows(std::int64_t m, std::int64_t n, std::int64_t k) {
  constexpr std::int64_t kCacheBytes = std::int64_t{1} << 20U;
  constexpr double kSliceWork = 8e6;  // multiply-adds · 2
  const double work =
      2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  const auto wanted = static_cast<std::int64_t>(std::clamp(work / kSliceWork, 1.0, 8.0));
  MatmulPlan plan{.m = m, .n = n, .k = k, .row_block = m, .col_block = n, .depth_block = k};
  if (wanted == 1) {
    return plan;
  }
  if (k >= 4096 && m * n <= (std::int64_t{1} << 20U)) {
    plan.depth_block = round_up(divide_up(k, 8), 64);
    return plan;
  }
  if (m >= 128) {
    const std::int64_t pairs = std::max<std::int64_t>(1, (m + 256) / 512);
    plan.row_block = round_up(divide_up(m, 2 * pairs), kRowUnit);
  }
  const std::int64_t cuts =
      std::max(divide_up(n * k * 4, kCacheBytes), divide_up(wanted, plan.row_blocks()));
  plan.col_block = std::min(n, round_up(divide_up(n, cuts), 64));
  return plan;
}

// The sum runs over tokens (gradients of weights): the result is cut into tiles, rows first, for
// as long as a slice is worth it. The sum itself is never cut.
inline MatmulPlan plan_tiles(std::int64_t m, std::int64_t n, std::int64_t k) {
  constexpr double kSliceWork = 24e6;
  constexpr std::int64_t kMostSlices = 16;
  MatmulPlan plan{.m = m, .n = n, .k = k, .row_block = m, .col_block = n, .depth_block = k};
  const auto work = [&] {
    return 2.0 * static_cast<double>(plan.row_block) * static_cast<double>(plan.col_block) *
           static_cast<double>(k);
  };
  while (work() > kSliceWork && plan.slices() < kMostSlices) {
    const bool rows = plan.col_block < 4 * plan.row_block;
    std::int64_t& side = rows ? plan.row_block : plan.col_block;
    const std::int64_t half = round_up(divide_up(side, 2), kRowUnit);
    if (half >= side || half < 2 * kRowUnit) {
      break;
    }
    side = half;
  }
  return plan;
}

}  // namespace yona::cpu
