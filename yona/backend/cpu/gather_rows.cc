// Rows by their numbers, and the gradient.
//
// Backward: as in embed.cc, a slice owns the rows whose number is its own modulo 16, looks through
// all numbers and adds the rows it owns, in order: no sorting, no atomics.

#include <algorithm>
#include <cstring>

#include "yona/backend/cpu/add_to_row.h"
#include "yona/backend/cpu/slices.h"
#include "yona/backend/registration.h"

namespace yona {

namespace {

void gather_rows(const GatherRowsArgs& args, Exec& exec) {
  if (args.y.dtype != DType::f32) {
    reference_kernels().gather_rows.function()(args, exec);
    return;
  }
  cpu::for_each_row(exec, args.y.rows, args.y.cols, [&](std::int64_t i) {
    std::copy_n(args.x.row<float>(args.rows[i]), args.y.cols, args.y.row<float>(i));
  });
}

void gather_rows_backward(const GatherRowsBackwardArgs& args, Exec& exec) {
  if (args.dy.dtype != DType::f32) {
    reference_kernels().gather_rows_backward.function()(args, exec);
    return;
  }
  if (!args.accumulate) {
    cpu::for_each_row(exec, args.dx.rows, args.dx.cols, [&](std::int64_t i) {
      std::fill_n(args.dx.row<float>(i), args.dx.cols, 0.0F);
    });
  }
  constexpr std::int64_t kSlices = 16;
  exec.pool->run(kSlices, [&](std::int64_t slice) {
    for (std::int64_t i = 0; i < args.dy.rows; ++i) {
      if (args.rows[i] % kSlices == slice) {
        cpu::add_to_row(args.dy.row<float>(i), args.dy.cols, args.dx.row<float>(args.rows[i]));
      }
    }
  });
}

const Registration registration(BackendKind::cpu, [](Kernels& table) {
  table.gather_rows = gather_rows;
  table.gather_rows_backward = gather_rows_backward;
});

}  // namespace
}  // namespace yona
