// Rows by their numbers, and the gradient: a sum over equal numbers.

#include <algorithm>

#include "yona/backend/reference/dispatch.h"
#include "yona/backend/registration.h"

namespace yona::reference {

namespace {

void gather_rows(const GatherRowsArgs& args, Exec& /*exec*/) {
  with_type(args.y.dtype, "gather_rows", [&](auto t) {
    using T = decltype(t);
    for (std::int64_t i = 0; i < args.y.rows; ++i) {
      std::copy_n(args.x.row<T>(args.rows[i]), args.y.cols, args.y.row<T>(i));
    }
  });
}

void gather_rows_backward(const GatherRowsBackwardArgs& args, Exec& /*exec*/) {
  with_type(args.dy.dtype, "gather_rows_backward", [&](auto t) {
    using T = decltype(t);
    for (std::int64_t i = 0; i < args.dx.rows && !args.accumulate; ++i) {
      std::fill_n(args.dx.row<T>(i), args.dx.cols, T{0});
    }
    for (std::int64_t i = 0; i < args.dy.rows; ++i) {
      for (std::int64_t j = 0; j < args.dy.cols; ++j) {
        args.dx.row<T>(args.rows[i])[j] += args.dy.row<T>(i)[j];
      }
    }
  });
}

const Registration registration(BackendKind::reference, [](Kernels& table) {
  table.gather_rows = gather_rows;
  table.gather_rows_backward = gather_rows_backward;
});

}  // namespace
}  // namespace yona::reference
