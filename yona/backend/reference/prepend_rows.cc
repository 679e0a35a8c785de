// The same rows in front of every sequence, and the gradients of both.

#include <algorithm>

#include "yona/backend/reference/dispatch.h"
#include "yona/backend/registration.h"

namespace yona::reference {

namespace {

void prepend_rows(const PrependRowsArgs& args, Exec& /*exec*/) {
  with_type(args.y.dtype, "prepend_rows", [&](auto t) {
    using T = decltype(t);
    std::int64_t to = 0;
    for (std::int64_t s = 0; s < args.sequences; ++s) {
      for (std::int64_t i = 0; i < args.first.rows; ++i) {
        std::copy_n(args.first.row<T>(i), args.y.cols, args.y.row<T>(to++));
      }
      for (std::int64_t i = args.offsets[s]; i < args.offsets[s + 1]; ++i) {
        std::copy_n(args.x.row<T>(i), args.y.cols, args.y.row<T>(to++));
      }
    }
  });
}

template <class T>
void add_row(const T* from, std::int64_t cols, bool accumulate, T* to) {
  for (std::int64_t j = 0; j < cols; ++j) {
    to[j] = from[j] + (accumulate ? to[j] : T{0});
  }
}

void prepend_rows_backward(const PrependRowsBackwardArgs& args, Exec& /*exec*/) {
  with_type(args.dy.dtype, "prepend_rows_backward", [&](auto t) {
    using T = decltype(t);
    std::int64_t from = 0;
    for (std::int64_t s = 0; s < args.sequences; ++s) {
      for (std::int64_t i = 0; i < args.first_rows; ++i, ++from) {
        if (args.dfirst) {
          add_row(args.dy.row<T>(from), args.dy.cols, true, args.dfirst.row<T>(i));
        }
      }
      for (std::int64_t i = args.offsets[s]; i < args.offsets[s + 1]; ++i, ++from) {
        if (args.dx) {
          add_row(args.dy.row<T>(from), args.dy.cols, args.accumulate_dx, args.dx.row<T>(i));
        }
      }
    }
  });
}

const Registration registration(BackendKind::reference, [](Kernels& table) {
  table.prepend_rows = prepend_rows;
  table.prepend_rows_backward = prepend_rows_backward;
});

}  // namespace
}  // namespace yona::reference
