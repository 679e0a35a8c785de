// How row-wise kernels are cut for the pool: by the size of the problem alone.
#pragma once

#include <algorithm>
#include <cstdint>

#include "yona/backend/exec.h"

namespace yona::cpu {

// Rows in a slice: about 32,768 elements, a quarter of the second-level cache for kernels that
// touch two to four matrices, and several slices for any batch worth training on.
constexpr std::int64_t rows_per_slice(std::int64_t cols) {
  return std::max<std::int64_t>(1, 32768 / std::max<std::int64_t>(1, cols));
}

// Calls function(row) for every row, in slices: shorter ones, so that threads finish together with
// small models too. 768 rows of 128 are twelve slices.
template <class Function>
void for_each_row(Exec& exec, std::int64_t rows, std::int64_t cols, const Function& function) {
  const std::int64_t grain = std::max<std::int64_t>(1, rows_per_slice(cols) / 4);
  exec.pool->run_ranges(rows, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      function(i);
    }
  });
}

// Calls function(row, begin, end) for pieces of rows: for element-wise kernels, whose matrices may
// be one long row (all gradients of a model).
template <class Function>
void for_each_piece(Exec& exec, std::int64_t rows, std::int64_t cols, const Function& function) {
  constexpr std::int64_t kPiece = 65536;
  if (cols <= kPiece) {
    for_each_row(exec, rows, cols, [&](std::int64_t i) { function(i, std::int64_t{0}, cols); });
    return;
  }
  const std::int64_t pieces = (cols + kPiece - 1) / kPiece;
  exec.pool->run(rows * pieces, [&](std::int64_t slice) {
    const std::int64_t begin = slice % pieces * kPiece;
    function(slice / pieces, begin, std::min(cols, begin + kPiece));
  });
}

}  // namespace yona::cpu
