// How a product is cut into slices for the pool: by the problem's size alone, so that the bits do
// not depend on the number of threads.
//
// Slices are large enough to keep oneDNN near its peak, small enough that their operands stay in
// the second-level cache, and at least 4 in number so that several threads finish together
// (bench/ops/matmul_bench.cc holds the measurements behind the constants).
#pragma once

#include <algorithm>
#include <cstdint>

namespace yona::cpu {

constexpr std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }
constexpr std::int64_t round_up(std::int64_t a, std::int64_t b) { return divide_up(a, b) * b; }

struct MatmulPlan {
  // The product c[m, n] is cut into blocks of these sizes; the last of each may be smaller. The sum
  // over k is never cut.
  std::int64_t m = 0, n = 0;
  std::int64_t row_block = 0, col_block = 0;

  std::int64_t row_blocks() const { return divide_up(m, row_block); }
  std::int64_t col_blocks() const { return divide_up(n, col_block); }
  std::int64_t slices() const { return row_blocks() * col_blocks(); }
};

inline constexpr std::int64_t kRowUnit = 16;  // rows of a block are a multiple, but for the rest

// `size` cut into an even number of blocks of about `wanted`, whole units each.
inline std::int64_t even_blocks(std::int64_t size, std::int64_t wanted) {
  const std::int64_t pairs = std::max<std::int64_t>(1, (size + wanted) / (2 * wanted));
  return std::min(size, round_up(divide_up(size, 2 * pairs), kRowUnit));
}

// Rows are tokens (forward, and gradients of inputs). oneDNN packs the weights again in every
// slice, so slices are long in rows; wide products are cut in columns too, where the weights' share
// would leave the cache.
inline MatmulPlan plan_rows(std::int64_t m, std::int64_t n, std::int64_t k) {
  constexpr double kSliceWork = 8e6;  // multiplications and additions
  const double work =
      2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  const auto wanted = static_cast<std::int64_t>(std::clamp(work / kSliceWork, 1.0, 8.0));
  MatmulPlan plan{.m = m, .n = n, .row_block = m, .col_block = n};
  if (wanted == 1) {
    return plan;
  }
  if (n * k <= std::int64_t{1} << 18U) {
    plan.row_block = m < 128 ? m : even_blocks(m, 256);
  } else {
    plan.row_block = k >= 4096 ? even_blocks(m, 128) : m <= 512 ? m : even_blocks(m, 512);
    plan.col_block = std::min(n, std::clamp<std::int64_t>((1 << 17U) / k, 512, 1024));
  }
  if (plan.slices() < std::min<std::int64_t>(wanted, 4)) {
    const std::int64_t cuts = divide_up(wanted, plan.row_blocks());
    plan.col_block = std::min(plan.col_block, round_up(divide_up(n, cuts), 64));
  }
  return plan;
}

// The sum runs over tokens (gradients of weights), both operands are stored with the sum's index
// first. Small results are cut in rows first, for as long as a slice is worth it.
inline MatmulPlan plan_tiles(std::int64_t m, std::int64_t n, std::int64_t k) {
  MatmulPlan plan{.m = m, .n = n, .row_block = m, .col_block = n};
  if (m * n >= std::int64_t{1} << 18U) {
    plan.col_block = std::min<std::int64_t>(n, 512);
    const bool many = divide_up(m, 256) * plan.col_blocks() >= 4;
    plan.row_block = std::min<std::int64_t>(m, many ? 256 : 128);
    return plan;
  }
  constexpr double kSliceWork = 50e6;
  const auto work = [&] {
    return 2.0 * static_cast<double>(plan.row_block) * static_cast<double>(plan.col_block) *
           static_cast<double>(k);
  };
  while (work() > kSliceWork) {
    std::int64_t& side = plan.col_block < 4 * plan.row_block ? plan.row_block : plan.col_block;
    const std::int64_t half = round_up(divide_up(side, 2), kRowUnit);
    if (half >= side) {
      break;
    }
    side = half;
  }
  return plan;
}

}  // namespace yona::cpu
