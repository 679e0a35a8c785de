// Normalisation of each column by its mean and variance over all rows (Ioffe and Szegedy 2015), and
// its gradients.

#include "yona/backend/batch_moments.h"
#include "yona/backend/reference/dispatch.h"
#include "yona/backend/registration.h"

namespace yona::reference {

namespace {

template <class T>
Moments moments_of_column(const View& x, std::int64_t j) {
  Moments m{.count = static_cast<double>(x.rows)};
  for (std::int64_t i = 0; i < x.rows; ++i) {
    m.mean += static_cast<double>(x.row<T>(i)[j]) / m.count;
  }
  for (std::int64_t i = 0; i < x.rows; ++i) {
    const double distance = static_cast<double>(x.row<T>(i)[j]) - m.mean;
    m.squares += distance * distance;
  }
  return m;
}

template <class T>
void batch_norm_column(const BatchNormArgs& args, const BatchColumns<T>& columns, std::int64_t j) {
  if (args.use == BatchStatistics::running) {
    columns.use_running(j);
  } else {
    columns.use_batch(j, moments_of_column<T>(args.x, j));
  }
  const T weight = args.weight.row<T>(0)[j];
  const T bias = args.bias.row<T>(0)[j];
  for (std::int64_t i = 0; i < args.x.rows; ++i) {
    args.y.row<T>(i)[j] = (args.x.row<T>(i)[j] - columns.mean[j]) * columns.rstd[j] * weight + bias;
  }
}

template <class T>
void batch_norm_backward_column(const BatchNormBackwardArgs& args, std::int64_t j) {
  const std::int64_t rows = args.dy.rows;
  const T mean = args.forward.statistics.row<T>(0)[j];
  const T rstd = args.forward.statistics.row<T>(1)[j];
  const auto normal = [&](std::int64_t i) { return (args.forward.x.row<T>(i)[j] - mean) * rstd; };
  double sum = 0;
  double product = 0;
  for (std::int64_t i = 0; i < rows; ++i) {
    const T dy = args.dy.row<T>(i)[j];
    sum += static_cast<double>(dy);
    product += static_cast<double>(dy * normal(i));
  }
  args.sums.row<T>(0)[j] = static_cast<T>(sum);
  args.sums.row<T>(1)[j] = static_cast<T>(product);
  if (args.dweight) {
    args.dweight.row<T>(0)[j] += static_cast<T>(product);
  }
  if (args.dbias) {
    args.dbias.row<T>(0)[j] += static_cast<T>(sum);
  }
  if (!args.dx) {
    return;
  }
  const bool of_batch = args.forward.use != BatchStatistics::running;
  const T scale = args.forward.weight.row<T>(0)[j] * rstd;
  const T mean_dy = of_batch ? static_cast<T>(sum / static_cast<double>(rows)) : T{0};
  const T mean_product = of_batch ? static_cast<T>(product / static_cast<double>(rows)) : T{0};
  for (std::int64_t i = 0; i < rows; ++i) {
    T& dx = args.dx.row<T>(i)[j];
    dx = scale * (args.dy.row<T>(i)[j] - mean_dy - normal(i) * mean_product) +
         (args.accumulate_dx ? dx : T{0});
  }
}

void batch_norm(const BatchNormArgs& args, Exec& /*exec*/) {
  with_type(args.x.dtype, "batch_norm", [&](auto t) {
    const BatchColumns<decltype(t)> columns(args);
    for (std::int64_t j = 0; j < args.x.cols && args.x.rows > 0; ++j) {
      batch_norm_column(args, columns, j);
    }
  });
}

void batch_norm_backward(const BatchNormBackwardArgs& args, Exec& /*exec*/) {
  with_type(args.dy.dtype, "batch_norm_backward", [&](auto t) {
    for (std::int64_t j = 0; j < args.dy.cols && args.dy.rows > 0; ++j) {
      batch_norm_backward_column<decltype(t)>(args, j);
    }
  });
}

const Registration registration(BackendKind::reference, [](Kernels& table) {
  table.batch_norm = batch_norm;
  table.batch_norm_backward = batch_norm_backward;
});

}  // namespace
}  // namespace yona::reference
