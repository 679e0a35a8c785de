// Adam (Kingma and Ba 2015) with clipping, decoupled weight decay and a moving average; and the
// squared norm that clipping needs.

#include <algorithm>
#include <cmath>

#include "yona/backend/reference/dispatch.h"
#include "yona/backend/registration.h"

namespace yona::reference {

namespace {

void squared_norm(const SquaredNormArgs& args, Exec& /*exec*/) {
  with_type(args.x.dtype, "squared_norm", [&](auto t) {
    using T = decltype(t);
    double sum = 0;
    for (std::int64_t i = 0; i < args.x.rows; ++i) {
      for (std::int64_t j = 0; j < args.x.cols; ++j) {
        const double value = static_cast<double>(args.x.row<T>(i)[j]);
        sum += value * value;
      }
    }
    *args.out = sum;
  });
}

void adam(const AdamArgs& args, Exec& /*exec*/) {
  if (!std::isfinite(*args.squared_norm)) {
    return;
  }
  double clip = 1.0;
  if (args.clip_norm > 0) {
    clip = std::min(1.0, static_cast<double>(args.clip_norm) / std::sqrt(*args.squared_norm));
  }
  with_type(args.weights.dtype, "adam", [&](auto t) {
    using T = decltype(t);
    T* w = args.weights.row<T>(0);
    const T* gradients = args.gradients.row<T>(0);
    T* m = args.m.row<T>(0);
    T* v = args.v.row<T>(0);
    for (std::int64_t i = 0; i < args.weights.rows * args.weights.cols; ++i) {
      const T g = gradients[i] * static_cast<T>(clip);
      m[i] = static_cast<T>(args.beta1) * m[i] + static_cast<T>(1.0F - args.beta1) * g;
      v[i] = static_cast<T>(args.beta2) * v[i] + static_cast<T>(1.0F - args.beta2) * g * g;
      const T step =
          (m[i] / static_cast<T>(args.correction1)) /
          (std::sqrt(v[i] / static_cast<T>(args.correction2)) + static_cast<T>(args.epsilon));
      w[i] -= static_cast<T>(args.rate) * (step + static_cast<T>(args.decay) * w[i]);
      if (args.average) {
        T* average = args.average.row<T>(0);
        average[i] = static_cast<T>(args.ema) * average[i] + static_cast<T>(1.0F - args.ema) * w[i];
      }
      if (args.rounded) {
        args.rounded.row<std::uint16_t>(0)[i] = to_bf16(static_cast<float>(w[i]));
      }
    }
  });
}

const Registration registration(BackendKind::reference, [](Kernels& table) {
  table.squared_norm = squared_norm;
  table.adam = adam;
});

}  // namespace
}  // namespace yona::reference
