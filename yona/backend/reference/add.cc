// Sums, scaling and constants.

#include "yona/backend/reference/dispatch.h"
#include "yona/backend/registration.h"

namespace yona::reference {

namespace {

// Element j of row i, which may be bf16 where the result is not.
template <class T>
T term(const View& x, std::int64_t i, std::int64_t j) {
  return x.dtype == DType::bf16 ? static_cast<T>(from_bf16(x.row<std::uint16_t>(i)[j]))
                                : x.row<T>(i)[j];
}

void add(const AddArgs& args, Exec& /*exec*/) {
  with_type(args.y.dtype, "add", [&](auto t) {
    using T = decltype(t);
    for (std::int64_t i = 0; i < args.y.rows; ++i) {
      for (std::int64_t j = 0; j < args.y.cols; ++j) {
        T value = static_cast<T>(args.alpha) * term<T>(args.a, i, j);
        if (args.b) {
          value += static_cast<T>(args.beta) * term<T>(args.b, i, j);
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
