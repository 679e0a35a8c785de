// Products element by element.

#include "yona/backend/reference/dispatch.h"
#include "yona/backend/registration.h"

namespace yona::reference {

namespace {

void multiply(const MultiplyArgs& args, Exec& /*exec*/) {
  with_type(args.y.dtype, "multiply", [&](auto t) {
    using T = decltype(t);
    for (std::int64_t i = 0; i < args.y.rows; ++i) {
      for (std::int64_t j = 0; j < args.y.cols; ++j) {
        T& y = args.y.row<T>(i)[j];
        const T product = args.a.row<T>(i)[j] * args.b.row<T>(i)[j];
        y = args.accumulate ? y + product : product;
      }
    }
  });
}

const Registration registration(BackendKind::reference,
                                [](Kernels& table) { table.multiply = multiply; });

}  // namespace
}  // namespace yona::reference
