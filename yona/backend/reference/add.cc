// Sums, scaling and constants.

#include "yona/backend/reference/dispatch.h"
#include "yona/backend/registration.h"

namespace yona::reference {

namespace {

void add(const AddArgs& args, Exec& /*exec*/) {
  with_type(args.y.dtype, "add", [&](auto t) {
    using T = decltype(t);
    for (std::int64_t i = 0; i < args.y.rows; ++i) {
      for (std::int64_t j = 0; j < args.y.cols; ++j) {
        T value = static_cast<T>(args.alpha) * args.a.row<T>(i)[j];
        if (args.b) {
          value += static_cast<T>(args.beta) * args.b.row<T>(i)[j];
        }
        args.y.row<T>(i)[j] = value;
      }
    }
  });
}

void fill(const FillArgs& args, Exec& /*exec*/) {
  with_type(args.y.dtype, "fill", [&](auto t) {
    using T = decltype(t);
    for (std::int64_t i = 0; i < args.y.rows; ++i) {
      for (std::int64_t j = 0; j < args.y.cols; ++j) {
        args.y.row<T>(i)[j] = static_cast<T>(args.value);
      }
    }
  });
}

const Registration registration(BackendKind::reference, [](Kernels& table) {
  table.add = add;
  table.fill = fill;
});

}  // namespace
}  // namespace yona::reference
