// GELU (Hendrycks and Gimpel 2016), exact: x Φ(x), with Φ the normal distribution function.

#include <cmath>
#include <numbers>

#include "yona/backend/gelu_gradient.h"
#include "yona/backend/reference/dispatch.h"
#include "yona/backend/registration.h"

namespace yona::reference {

namespace {

double phi(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

void gelu(const RowsArgs& args, Exec& /*exec*/) {
  with_type(args.x.dtype, "gelu", [&](auto t) {
    using T = decltype(t);
    for (std::int64_t i = 0; i < args.x.rows; ++i) {
      for (std::int64_t j = 0; j < args.x.cols; ++j) {
        const double x = static_cast<double>(args.x.row<T>(i)[j]);
        args.y.row<T>(i)[j] = static_cast<T>(x * phi(x));
      }
    }
  });
}

// d/dx x Φ(x) = Φ(x) + x φ(x)
void gelu_backward(const RowsBackwardArgs& args, Exec& /*exec*/) {
  with_type(args.dy.dtype, "gelu_backward", [&](auto t) {
    using T = decltype(t);
    for (std::int64_t i = 0; i < args.dy.rows; ++i) {
      for (std::int64_t j = 0; j < args.dy.cols; ++j) {
        const double x = static_cast<double>(args.saved.row<T>(i)[j]);
        const double density = std::exp(-0.5 * x * x) / std::sqrt(2.0 * std::numbers::pi);
        const double slope = phi(x) + x * density;
        T& dx = args.dx.row<T>(i)[j];
        dx = static_cast<T>(slope * static_cast<double>(args.dy.row<T>(i)[j])) +
             (args.accumulate ? dx : T{0});
      }
    }
  });
}

void gelu_gradient_product(const GeluGradientProductArgs& args, Exec& exec) {
  compose_gelu_gradient(reference_kernels(), args, exec);
}

const Registration registration(BackendKind::reference, [](Kernels& table) {
  table.gelu = gelu;
  table.gelu_backward = gelu_backward;
  table.gelu_gradient_product = gelu_gradient_product;
});

}  // namespace
}  // namespace yona::reference
