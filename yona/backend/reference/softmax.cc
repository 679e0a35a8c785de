// Softmax and log-softmax of rows. A row that is -infinity throughout gives zeros (softmax).

#include <algorithm>
#include <cmath>

#include "yona/backend/reference/dispatch.h"
#include "yona/backend/registration.h"

namespace yona::reference {

namespace {

template <class T>
double log_sum(const T* x, std::int64_t n) {
  double largest = -INFINITY;
  for (std::int64_t j = 0; j < n; ++j) {
    largest = std::max(largest, static_cast<double>(x[j]));
  }
  if (largest == -INFINITY) {
    return -INFINITY;
  }
  double sum = 0;
  for (std::int64_t j = 0; j < n; ++j) {
    sum += std::exp(static_cast<double>(x[j]) - largest);
  }
  return largest + std::log(sum);
}

void softmax(const RowsArgs& args, Exec& /*exec*/) {
  with_type(args.x.dtype, "softmax", [&](auto t) {
    using T = decltype(t);
    for (std::int64_t i = 0; i < args.x.rows; ++i) {
      const double total = log_sum(args.x.row<T>(i), args.x.cols);
      for (std::int64_t j = 0; j < args.x.cols; ++j) {
        const double x = static_cast<double>(args.x.row<T>(i)[j]);
        args.y.row<T>(i)[j] = total == -INFINITY ? T{0} : static_cast<T>(std::exp(x - total));
      }
    }
  });
}

void log_softmax(const RowsArgs& args, Exec& /*exec*/) {
  with_type(args.x.dtype, "log_softmax", [&](auto t) {
    using T = decltype(t);
    for (std::int64_t i = 0; i < args.x.rows; ++i) {
      const double total = log_sum(args.x.row<T>(i), args.x.cols);
      for (std::int64_t j = 0; j < args.x.cols; ++j) {
        args.y.row<T>(i)[j] = static_cast<T>(static_cast<double>(args.x.row<T>(i)[j]) - total);
      }
    }
  });
}

// softmax: dx = y (dy - Σ y dy)     log-softmax: dx = dy - e^y Σ dy
template <class T>
void backward(const RowsBackwardArgs& args, bool logarithm) {
  for (std::int64_t i = 0; i < args.dy.rows; ++i) {
    const T* y = args.saved.row<T>(i);
    const T* dy = args.dy.row<T>(i);
    double sum = 0;
    for (std::int64_t j = 0; j < args.dy.cols; ++j) {
      sum += static_cast<double>(logarithm ? dy[j] : y[j] * dy[j]);
    }
    for (std::int64_t j = 0; j < args.dy.cols; ++j) {
      const double value =
          logarithm ? static_cast<double>(dy[j]) - std::exp(static_cast<double>(y[j])) * sum
                    : static_cast<double>(y[j]) * (static_cast<double>(dy[j]) - sum);
      T& dx = args.dx.row<T>(i)[j];
      dx = static_cast<T>(value) + (args.accumulate ? dx : T{0});
    }
  }
}

void softmax_backward(const RowsBackwardArgs& args, Exec& /*exec*/) {
  with_type(args.dy.dtype, "softmax_backward", [&](auto t) { backward<decltype(t)>(args, false); });
}

void log_softmax_backward(const RowsBackwardArgs& args, Exec& /*exec*/) {
  with_type(args.dy.dtype, "log_softmax_backward",
            [&](auto t) { backward<decltype(t)>(args, true); });
}

const Registration registration(BackendKind::reference, [](Kernels& table) {
  table.softmax = softmax;
  table.softmax_backward = softmax_backward;
  table.log_softmax = log_softmax;
  table.log_softmax_backward = log_softmax_backward;
});

}  // namespace
}  // namespace yona::reference
