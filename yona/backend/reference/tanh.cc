// The hyperbolic tangent and the logistic function σ, whose slopes follow from their values:
//   tanh' = 1 - y²,  σ' = y (1 - y)

#include <cmath>

#include "yona/backend/reference/dispatch.h"
#include "yona/backend/registration.h"

namespace yona::reference {

namespace {

double sigmoid_at(double x) { return 1.0 / (1.0 + std::exp(-x)); }
double sigmoid_slope(double y) { return y * (1.0 - y); }
double tanh_at(double x) { return std::tanh(x); }
double tanh_slope(double y) { return 1.0 - y * y; }

using PlainFunction = double (*)(double);

template <PlainFunction kValue>
void map_values(const RowsArgs& args, Exec& /*exec*/) {
  with_type(args.x.dtype, "tanh", [&](auto t) {
    using T = decltype(t);
    for (std::int64_t i = 0; i < args.x.rows; ++i) {
      for (std::int64_t j = 0; j < args.x.cols; ++j) {
        args.y.row<T>(i)[j] = static_cast<T>(kValue(double{args.x.row<T>(i)[j]}));
      }
    }
  });
}

template <PlainFunction kSlope>
void map_slopes(const RowsBackwardArgs& args, Exec& /*exec*/) {
  with_type(args.dy.dtype, "tanh_backward", [&](auto t) {
    using T = decltype(t);
    for (std::int64_t i = 0; i < args.dy.rows; ++i) {
      for (std::int64_t j = 0; j < args.dy.cols; ++j) {
        T& dx = args.dx.row<T>(i)[j];
        const double slope = kSlope(double{args.saved.row<T>(i)[j]});
        dx = static_cast<T>(slope * double{args.dy.row<T>(i)[j]}) + (args.accumulate ? dx : T{0});
      }
    }
  });
}

const Registration registration(BackendKind::reference, [](Kernels& table) {
  table.tanh = map_values<tanh_at>;
  table.tanh_backward = map_slopes<tanh_slope>;
  table.sigmoid = map_values<sigmoid_at>;
  table.sigmoid_backward = map_slopes<sigmoid_slope>;
});

}  // namespace
}  // namespace yona::reference
