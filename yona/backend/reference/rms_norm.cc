// Normalisation by the root of the mean square alone (Zhang and Sennrich 2019), and its gradients.

#include <cmath>

#include "yona/backend/reference/dispatch.h"
#include "yona/backend/registration.h"

namespace yona::reference {

namespace {

template <class T>
void rms_norm_row(const RmsNormArgs& args, std::int64_t i) {
  const std::int64_t d = args.x.cols;
  const T* x = args.x.row<T>(i);
  double squares = 0;
  for (std::int64_t j = 0; j < d; ++j) {
    squares += static_cast<double>(x[j]) * static_cast<double>(x[j]);
  }
  const double rstd =
      1.0 / std::sqrt(squares / static_cast<double>(d) + static_cast<double>(args.epsilon));
  for (std::int64_t j = 0; j < d; ++j) {
    args.y.row<T>(i)[j] = static_cast<T>(static_cast<double>(x[j]) * rstd *
                                         static_cast<double>(args.weight.row<T>(0)[j]));
  }
  args.statistics.row<T>(i)[0] = static_cast<T>(rstd);
}

template <class T>
void rms_norm_backward_row(const RmsNormBackwardArgs& args, std::int64_t i) {
  const std::int64_t d = args.dy.cols;
  const T* x = args.forward.x.row<T>(i);
  const T* weight = args.forward.weight.row<T>(0);
  const T* dy = args.dy.row<T>(i);
  const T rstd = args.forward.statistics.row<T>(i)[0];
  double mean_gx = 0;
  for (std::int64_t j = 0; j < d; ++j) {
    mean_gx += static_cast<double>(dy[j] * weight[j] * x[j] * rstd);
  }
  mean_gx /= static_cast<double>(d);
  for (std::int64_t j = 0; j < d; ++j) {
    const T normal = x[j] * rstd;
    if (args.dx) {
      T& dx = args.dx.row<T>(i)[j];
      dx = rstd * (dy[j] * weight[j] - normal * static_cast<T>(mean_gx)) +
           (args.accumulate_dx ? dx : T{0});
    }
    if (args.dweight) {
      args.dweight.row<T>(0)[j] += dy[j] * normal;
    }
  }
}

void rms_norm(const RmsNormArgs& args, Exec& /*exec*/) {
  with_type(args.x.dtype, "rms_norm", [&](auto t) {
    for (std::int64_t i = 0; i < args.x.rows; ++i) {
      rms_norm_row<decltype(t)>(args, i);
    }
  });
}

void rms_norm_backward(const RmsNormBackwardArgs& args, Exec& /*exec*/) {
  with_type(args.dy.dtype, "rms_norm_backward", [&](auto t) {
    for (std::int64_t i = 0; i < args.dy.rows; ++i) {
      rms_norm_backward_row<decltype(t)>(args, i);
    }
  });
}

const Registration registration(BackendKind::reference, [](Kernels& table) {
  table.rms_norm = rms_norm;
  table.rms_norm_backward = rms_norm_backward;
});

}  // namespace
}  // namespace yona::reference
