// SiLU (Elfwing et al. 2018; swish to others): x σ(x); and GELU by its tanh formula (Hendrycks and
// Gimpel 2016, section 2), which T5 and GPT-2 are trained with.

#include <cmath>
#include <numbers>

#include "yona/backend/reference/dispatch.h"
#include "yona/backend/registration.h"

namespace yona::reference {

namespace {

struct ValueAndSlope {
  double value, slope;
};

// d/dx x σ(x) = σ(x) (1 + x (1 - σ(x)))
ValueAndSlope silu_at(double x) {
  const double sigmoid = 1.0 / (1.0 + std::exp(-x));
  return {x * sigmoid, sigmoid * (1.0 + x * (1.0 - sigmoid))};
}

// y = ½ x (1 + tanh u), u = √(2/π) (x + 0.044715 x³):  y' = ½ (1 + t) + ½ x (1 - t²) u'
ValueAndSlope gelu_tanh_at(double x) {
  const double root = std::sqrt(2.0 / std::numbers::pi);
  const double t = std::tanh(root * (x + 0.044715 * x * x * x));
  const double u_slope = root * (1.0 + 3 * 0.044715 * x * x);
  return {0.5 * x * (1.0 + t), 0.5 * (1.0 + t) + 0.5 * x * (1.0 - t * t) * u_slope};
}

using SmoothFunction = ValueAndSlope (*)(double);

template <SmoothFunction kFunction>
void map_function(const RowsArgs& args, Exec& /*exec*/) {
  with_type(args.x.dtype, "silu", [&](auto t) {
    using T = decltype(t);
    for (std::int64_t i = 0; i < args.x.rows; ++i) {
      for (std::int64_t j = 0; j < args.x.cols; ++j) {
        args.y.row<T>(i)[j] = static_cast<T>(kFunction(double{args.x.row<T>(i)[j]}).value);
      }
    }
  });
}

template <SmoothFunction kFunction>
void map_function_backward(const RowsBackwardArgs& args, Exec& /*exec*/) {
  with_type(args.dy.dtype, "silu_backward", [&](auto t) {
    using T = decltype(t);
    for (std::int64_t i = 0; i < args.dy.rows; ++i) {
      for (std::int64_t j = 0; j < args.dy.cols; ++j) {
        T& dx = args.dx.row<T>(i)[j];
        const double slope = kFunction(double{args.saved.row<T>(i)[j]}).slope;
        dx = static_cast<T>(slope * double{args.dy.row<T>(i)[j]}) + (args.accumulate ? dx : T{0});
      }
    }
  });
}

const Registration registration(BackendKind::reference, [](Kernels& table) {
  table.silu = map_function<silu_at>;
  table.silu_backward = map_function_backward<silu_at>;
  table.gelu_tanh = map_function<gelu_tanh_at>;
  table.gelu_tanh_backward = map_function_backward<gelu_tanh_at>;
});

}  // namespace
}  // namespace yona::reference
