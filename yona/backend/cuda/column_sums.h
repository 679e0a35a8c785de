// The second half of every sum over rows: partial sums, one row of them for each slice of the work,
// are added in a fixed order, whatever order the slices were computed in.
#pragma once

#include <cstdint>
#include <cuda_runtime.h>
#include <initializer_list>

#include "yona/backend/exec.h"
#include "yona/backend/view.h"

namespace yona::cuda {

// out[c] += Σ_s partials[s · cols + c], for `slices` rows of `cols` partial sums. Nothing is done
// without an output.
struct ColumnSums {
  const float* partials = nullptr;
  float* out = nullptr;
  std::int64_t slices = 0;
};
// Up to kMostColumnSums of one width at once.
constexpr int kMostColumnSums = 3;
void add_column_sums(std::initializer_list<ColumnSums> sums, std::int64_t cols,
                     cudaStream_t stream);

// Both halves in a pass over the rows: out[c] += Σ_r rows[r, c], where whoever wrote the rows could
// not add them up. Takes scratch memory. In bias_activation_backward.cu.
void add_rows(const View& rows, const View& out, Exec& exec);

}  // namespace yona::cuda
