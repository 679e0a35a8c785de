// s = x + dropout(r), layer normalisation of s (Ba et al. 2016), and the gradients of all of it.

#include <cmath>

#include "yona/backend/reference/dispatch.h"
#include "yona/backend/registration.h"

namespace yona::reference {

namespace {

template <class T>
T residual(const ResidualNormArgs& args, std::int64_t i, std::int64_t j) {
  const T r = args.r.row<T>(i)[j];
  if (!args.dropout) {
    return r;
  }
  return keeps(args.dropout, args.row_keys[i], j) ? r * static_cast<T>(args.dropout.scale) : T{0};
}

template <class T>
void forward(const ResidualNormArgs& args) {
  const std::int64_t d = args.x.cols;
  for (std::int64_t i = 0; i < args.x.rows; ++i) {
    const T* s = args.x.row<T>(i);
    if (args.r) {
      for (std::int64_t j = 0; j < d; ++j) {
        args.s.row<T>(i)[j] = args.x.row<T>(i)[j] + residual<T>(args, i, j);
      }
      s = args.s.row<T>(i);
    }
    double mean = 0;
    for (std::int64_t j = 0; j < d; ++j) {
      mean += static_cast<double>(s[j]);
    }
    mean /= static_cast<double>(d);
    double variance = 0;
    for (std::int64_t j = 0; j < d; ++j) {
      variance += (static_cast<double>(s[j]) - mean) * (static_cast<double>(s[j]) - mean);
    }
    const double rstd =
        1.0 / std::sqrt(variance / static_cast<double>(d) + static_cast<double>(args.epsilon));
    for (std::int64_t j = 0; j < d; ++j) {
      const double normal = (static_cast<double>(s[j]) - mean) * rstd;
      args.y.row<T>(i)[j] = static_cast<T>(normal * static_cast<double>(args.weight.row<T>(0)[j]) +
                                           static_cast<double>(args.bias.row<T>(0)[j]));
    }
    args.statistics.row<T>(i)[0] = static_cast<T>(mean);
    args.statistics.row<T>(i)[1] = static_cast<T>(rstd);
  }
}

template <class T>
void put(T& place, T value, bool accumulate) {
  place = accumulate ? place + value : value;
}

// g = dy ∘ weight;  total = rstd (g - mean(g) - x̂ mean(g ∘ x̂)) + ds
template <class T>
void backward_row(const ResidualNormBackwardArgs& args, std::int64_t i) {
  const ResidualNormArgs& forward = args.forward;
  const std::int64_t d = args.dy.cols;
  const T* s = forward.r ? forward.s.row<T>(i) : forward.x.row<T>(i);
  const T mean = forward.statistics.row<T>(i)[0];
  const T rstd = forward.statistics.row<T>(i)[1];
  const T* weight = forward.weight.row<T>(0);
  const T* dy = args.dy.row<T>(i);
  double mean_g = 0;
  double mean_gx = 0;
  for (std::int64_t j = 0; j < d; ++j) {
    const double g = static_cast<double>(dy[j] * weight[j]);
    mean_g += g;
    mean_gx += g * static_cast<double>((s[j] - mean) * rstd);
  }
  mean_g /= static_cast<double>(d);
  mean_gx /= static_cast<double>(d);
  for (std::int64_t j = 0; j < d; ++j) {
    const T normal = (s[j] - mean) * rstd;
    T total =
        rstd * (dy[j] * weight[j] - static_cast<T>(mean_g) - normal * static_cast<T>(mean_gx));
    total += args.ds ? args.ds.row<T>(i)[j] : T{0};
    if (args.dx) {
      put(args.dx.row<T>(i)[j], total, args.accumulate_dx);
    }
    if (args.dr) {
      const bool kept = !forward.dropout || keeps(forward.dropout, forward.row_keys[i], j);
      const T scale = forward.dropout ? static_cast<T>(forward.dropout.scale) : T{1};
      const T dr = kept ? total * scale : T{0};
      put(args.dr.row<T>(i)[j], dr, args.accumulate_dr);
      if (args.dr_sums) {
        args.dr_sums.row<T>(0)[j] += dr;
      }
    }
    if (args.dweight) {
      args.dweight.row<T>(0)[j] += dy[j] * normal;
    }
    if (args.dbias) {
      args.dbias.row<T>(0)[j] += dy[j];
    }
  }
}

void residual_norm(const ResidualNormArgs& args, Exec& /*exec*/) {
  with_type(args.x.dtype, "residual_norm", [&](auto t) { forward<decltype(t)>(args); });
}

void residual_norm_backward(const ResidualNormBackwardArgs& args, Exec& /*exec*/) {
  with_type(args.dy.dtype, "residual_norm_backward", [&](auto t) {
    for (std::int64_t i = 0; i < args.dy.rows; ++i) {
      backward_row<decltype(t)>(args, i);
    }
  });
}

const Registration registration(BackendKind::reference, [](Kernels& table) {
  table.residual_norm = residual_norm;
  table.residual_norm_backward = residual_norm_backward;
  table.residual_norm_backward.gradient_sums = GradientSums::yes;
});

}  // namespace
}  // namespace yona::reference
