// Dropout of single elements; its backward is the same kernel on the gradient.

#include "yona/backend/reference/dispatch.h"
#include "yona/backend/registration.h"

namespace yona::reference {

namespace {

template <class T>
void drop(const DropoutArgs& args) {
  for (std::int64_t i = 0; i < args.x.rows; ++i) {
    for (std::int64_t j = 0; j < args.x.cols; ++j) {
      T value = args.x.row<T>(i)[j];
      if (args.dropout) {
        value = keeps(args.dropout, args.row_keys[i], j)
                    ? value * static_cast<T>(args.dropout.scale)
                    : T{0};
      }
      value += args.residual ? args.residual.row<T>(i)[j] : T{0};
      T& y = args.y.row<T>(i)[j];
      y = args.accumulate ? y + value : value;
    }
  }
}

void dropout(const DropoutArgs& args, Exec& /*exec*/) {
  with_type(args.x.dtype, "dropout", [&](auto t) { drop<decltype(t)>(args); });
}

const Registration registration(BackendKind::reference,
                                [](Kernels& table) { table.dropout = dropout; });

}  // namespace
}  // namespace yona::reference
