// Kernels that compute f32 matrices row by row.
#pragma once

#include <cstdint>

#include "yona/backend/cpu/slices.h"
#include "yona/backend/view.h"

namespace yona::cpu {

// Calls row(args, i) for every row i of f32 matrices; others are the reference's. `rows` is one of
// the matrices.
template <class Args, class Reference>
void each_row(const Args& args, const View& rows, const Reference& reference,
              void (*row)(const Args&, std::int64_t), Exec& exec) {
  if (rows.dtype != DType::f32) {
    reference.function()(args, exec);
    return;
  }
  for_each_row(exec, rows.rows, rows.cols, [&](std::int64_t i) { row(args, i); });
}

}  // namespace yona::cpu
