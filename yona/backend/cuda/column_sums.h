// The second half of every sum over rows: partial sums, one row of them for each slice of the work,
// are added in a fixed order, whatever order the slices were computed in.
#pragma once

#include <cstdint>
#include <cuda_runtime.h>

namespace yona::cuda {

// out[c] += Σ_s partials[s · cols + c], for `slices` rows of `cols` partial sums.
struct ColumnSums {
  const float* partials = nullptr;
  float* out = nullptr;
};
void add_column_sums(const float* partials, std::int64_t slices, std::int64_t cols, float* out,
                     cudaStream_t stream);
// Two of one size at once; sums without an output are left out.
void add_column_sums(const ColumnSums& first, const ColumnSums& second, std::int64_t slices,
                     std::int64_t cols, cudaStream_t stream);

}  // namespace yona::cuda
