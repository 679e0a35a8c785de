// Sums over rows that a kernel forms on the side (gradients of biases and norm weights): every
// slice of rows has its own sums, which are added up in the order of the slices.
#pragma once

#include <algorithm>
#include <cstdint>

#include "yona/backend/cpu/scratch.h"
#include "yona/backend/cpu/slices.h"

namespace yona::cpu {

class ColumnSums {
 public:
  // Room for the sums of `rows` rows of `cols` columns; `kinds` sums are formed of each column.
  ColumnSums(std::int64_t rows, std::int64_t cols, std::int64_t kinds)
      : cols_(cols), kinds_(kinds), grain_(rows_per_slice(cols)), rows_(rows) {
    thread_local Scratch<float> scratch;
    sums_ = scratch.get(static_cast<std::size_t>(slices() * kinds * cols));
  }

  std::int64_t slices() const { return (rows_ + grain_ - 1) / grain_; }
  // The sums of a slice, [kinds, cols].
  float* of_slice(std::int64_t slice) const { return sums_ + slice * kinds_ * cols_; }

  // Calls function(row, sums) for every row, in slices; `sums` begin at zero in each slice.
  template <class Function>
  void for_each_row(Exec& exec, const Function& function) const {
    exec.pool->run_ranges(rows_, grain_, [&](std::int64_t begin, std::int64_t end) {
      float* sums = of_slice(begin / grain_);
      std::fill_n(sums, kinds_ * cols_, 0.0F);
      for (std::int64_t i = begin; i < end; ++i) {
        function(i, sums);
      }
    });
  }

  // to[j] += the sums of one kind over all slices.
  void add_to(float* to, std::int64_t kind) const {
    for (std::int64_t slice = 0; slice < slices(); ++slice) {
      const float* sums = of_slice(slice) + kind * cols_;
      for (std::int64_t j = 0; j < cols_; ++j) {
        to[j] += sums[j];
      }
    }
  }

 private:
  std::int64_t cols_, kinds_, grain_, rows_;
  float* sums_ = nullptr;
};

}  // namespace yona::cpu
