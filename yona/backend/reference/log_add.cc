// The logarithm of a sum of two probabilities given by their logarithms: for ensembles.

#include <cmath>

#include "yona/backend/reference/dispatch.h"
#include "yona/backend/registration.h"

namespace yona::reference {

namespace {

// log(e^a + e^b) = max + log(1 + e^(min - max)); NaN when either is.
double log_add(double a, double b) {
  if (a == b) {  // infinities too
    return a + std::log(2.0);
  }
  return std::fmax(a, b) + std::log1p(std::exp(-std::abs(a - b)));
}

void log_add_rows(const LogAddArgs& args, Exec& /*exec*/) {
  with_type(args.y.dtype, "log_add", [&](auto zero) {
    using T = decltype(zero);
    for (std::int64_t i = 0; i < args.y.rows; ++i) {
      for (std::int64_t j = 0; j < args.y.cols; ++j) {
        args.y.row<T>(i)[j] =
            static_cast<T>(log_add(args.a.row<T>(i)[j], args.b.row<T>(i)[j]) + double{args.shift});
      }
    }
  });
}

const Registration registration(BackendKind::reference,
                                [](Kernels& table) { table.log_add = log_add_rows; });

}  // namespace
}  // namespace yona::reference
