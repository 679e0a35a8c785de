// Normalisation of each column by its mean and variance over all rows (Ioffe and Szegedy 2015), and
// its gradients. A slice of rows, which fits the cache, is read twice for its own mean and squares;
// slices are joined in their order.

#include <algorithm>
#include <functional>
#include <vector>

#include "yona/backend/batch_moments.h"
#include "yona/backend/cpu/column_sums.h"
#include "yona/backend/cpu/targets.h"
#include "yona/backend/registration.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "yona/backend/cpu/batch_norm.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "yona/backend/cpu/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace yona {
namespace HWY_NAMESPACE {
namespace {

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

// The mean of each column over rows [begin, end), and the sum of squared distances from it.
void slice_moments(const View& x, std::int64_t begin, std::int64_t end, float* mean,
                   float* squares) {
  const D d;
  const std::int64_t n = x.cols;
  std::fill_n(mean, n, 0.0F);
  std::fill_n(squares, n, 0.0F);
  for (std::int64_t i = begin; i < end; ++i) {
    const float* row = x.row<float>(i);
    for_each_vector(d, n, [&](std::int64_t j, auto part) YONA_INLINE_LAMBDA {
      store(d, hn::Add(load(d, mean + j, part), load(d, row + j, part)), mean + j, part);
    });
  }
  const V share = hn::Set(d, 1.0F / static_cast<float>(end - begin));
  for_each_vector(d, n, [&](std::int64_t j, auto part) YONA_INLINE_LAMBDA {
    store(d, hn::Mul(load(d, mean + j, part), share), mean + j, part);
  });
  for (std::int64_t i = begin; i < end; ++i) {
    const float* row = x.row<float>(i);
    for_each_vector(d, n, [&](std::int64_t j, auto part) YONA_INLINE_LAMBDA {
      const V distance = hn::Sub(load(d, row + j, part), load(d, mean + j, part));
      store(d, hn::MulAdd(distance, distance, load(d, squares + j, part)), squares + j, part);
    });
  }
}

void batch_norm_row(const BatchNormArgs& args, std::int64_t i) {
  const D d;
  const float* x = args.x.row<float>(i);
  const float* mean = args.statistics.row<float>(0);
  const float* rstd = args.statistics.row<float>(1);
  const float* weight = args.weight.row<float>(0);
  const float* bias = args.bias.row<float>(0);
  float* y = args.y.row<float>(i);
  for_each_vector(d, args.x.cols, [&](std::int64_t j, auto part) YONA_INLINE_LAMBDA {
    const V distance = hn::Sub(load(d, x + j, part), load(d, mean + j, part));
    const V normal = hn::Mul(distance, load(d, rstd + j, part));
    store(d, hn::MulAdd(normal, load(d, weight + j, part), load(d, bias + j, part)), y + j, part);
  });
}

// sums[0] += dy;  sums[1] += dy ∘ x̂
void batch_norm_sums_row(const BatchNormBackwardArgs& args, std::int64_t i, float* sums) {
  const D d;
  const std::int64_t n = args.dy.cols;
  const float* x = args.forward.x.row<float>(i);
  const float* dy = args.dy.row<float>(i);
  const float* mean = args.forward.statistics.row<float>(0);
  const float* rstd = args.forward.statistics.row<float>(1);
  float* products = sums + n;
  for_each_vector(d, n, [&](std::int64_t j, auto part) YONA_INLINE_LAMBDA {
    const V g = load(d, dy + j, part);
    const V distance = hn::Sub(load(d, x + j, part), load(d, mean + j, part));
    const V normal = hn::Mul(distance, load(d, rstd + j, part));
    store(d, hn::Add(g, load(d, sums + j, part)), sums + j, part);
    store(d, hn::MulAdd(g, normal, load(d, products + j, part)), products + j, part);
  });
}

// dx (+)= weight · rstd · (dy - share · Σ dy - x̂ · share · Σ dy ∘ x̂)
void batch_norm_backward_row(const BatchNormBackwardArgs& args, std::int64_t i, float share) {
  const D d;
  const float* x = args.forward.x.row<float>(i);
  const float* dy = args.dy.row<float>(i);
  const float* mean = args.forward.statistics.row<float>(0);
  const float* rstd = args.forward.statistics.row<float>(1);
  const float* weight = args.forward.weight.row<float>(0);
  const float* sums = args.sums.row<float>(0);
  const float* products = args.sums.row<float>(1);
  float* dx = args.dx.row<float>(i);
  const V shares = hn::Set(d, share);
  for_each_vector(d, args.dy.cols, [&](std::int64_t j, auto part) YONA_INLINE_LAMBDA {
    const V deviation = load(d, rstd + j, part);
    const V normal = hn::Mul(hn::Sub(load(d, x + j, part), load(d, mean + j, part)), deviation);
    V value = hn::NegMulAdd(shares, load(d, sums + j, part), load(d, dy + j, part));
    value = hn::NegMulAdd(normal, hn::Mul(shares, load(d, products + j, part)), value);
    value = hn::Mul(value, hn::Mul(deviation, load(d, weight + j, part)));
    store_or_add(d, value, dx + j, args.accumulate_dx, part);
  });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace yona
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace yona {

HWY_EXPORT(slice_moments);
HWY_EXPORT(batch_norm_row);
HWY_EXPORT(batch_norm_sums_row);
HWY_EXPORT(batch_norm_backward_row);

namespace {

void use_batch_statistics(const BatchNormArgs& args, const BatchColumns<float>& columns,
                          Exec& exec) {
  const std::int64_t rows = args.x.rows;
  const std::int64_t d = args.x.cols;
  const std::int64_t grain = cpu::rows_per_slice(d);
  const cpu::ColumnSums slices(rows, d, 2);
  exec.pool->run_ranges(rows, grain, [&](std::int64_t begin, std::int64_t end) {
    float* mean = slices.of_slice(begin / grain);
    HWY_DYNAMIC_DISPATCH(slice_moments)(args.x, begin, end, mean, mean + d);
  });
  std::vector<Moments> moments(static_cast<std::size_t>(d));
  for (std::int64_t slice = 0; slice < slices.slices(); ++slice) {
    const float* mean = slices.of_slice(slice);
    const auto count = static_cast<double>(std::min(grain, rows - slice * grain));
    for (std::int64_t j = 0; j < d; ++j) {
      moments[static_cast<std::size_t>(j)].add(
          {count, static_cast<double>(mean[j]), static_cast<double>(mean[d + j])});
    }
  }
  for (std::int64_t j = 0; j < d; ++j) {
    columns.use_batch(j, moments[static_cast<std::size_t>(j)]);
  }
}

void batch_norm(const BatchNormArgs& args, Exec& exec) {
  if (args.x.dtype != DType::f32) {
    reference_kernels().batch_norm.function()(args, exec);
    return;
  }
  if (args.x.rows == 0) {
    return;
  }
  const BatchColumns<float> columns(args);
  if (args.use != BatchStatistics::running) {
    use_batch_statistics(args, columns, exec);
  } else {
    for (std::int64_t j = 0; j < args.x.cols; ++j) {
      columns.use_running(j);
    }
  }
  cpu::for_each_row(exec, args.x.rows, args.x.cols, [&](std::int64_t i) {
    HWY_DYNAMIC_DISPATCH(batch_norm_row)(args, i);
  });
}

void batch_norm_backward(const BatchNormBackwardArgs& args, Exec& exec) {
  if (args.dy.dtype != DType::f32) {
    reference_kernels().batch_norm_backward.function()(args, exec);
    return;
  }
  const std::int64_t rows = args.dy.rows;
  const std::int64_t d = args.dy.cols;
  if (rows == 0) {
    return;
  }
  const cpu::ColumnSums column_sums(rows, d, 2);
  column_sums.for_each_row(exec, [&](std::int64_t i, float* sums) {
    HWY_DYNAMIC_DISPATCH(batch_norm_sums_row)(args, i, sums);
  });
  for (std::int64_t kind = 0; kind < 2; ++kind) {
    float* sums = args.sums.row<float>(kind);
    std::fill_n(sums, d, 0.0F);
    column_sums.add_to(sums, kind);
    if (const View& target = kind == 0 ? args.dbias : args.dweight) {
      std::transform(sums, sums + d, target.row<float>(0), target.row<float>(0), std::plus<>());
    }
  }
  if (!args.dx) {
    return;
  }
  const bool of_batch = args.forward.use != BatchStatistics::running;
  const float share = of_batch ? 1.0F / static_cast<float>(rows) : 0.0F;
  cpu::for_each_row(exec, rows, d, [&](std::int64_t i) {
    HWY_DYNAMIC_DISPATCH(batch_norm_backward_row)(args, i, share);
  });
}

const Registration registration(BackendKind::cpu, [](Kernels& table) {
  table.batch_norm = batch_norm;
  table.batch_norm_backward = batch_norm_backward;
});

}  // namespace
}  // namespace yona
#endif  // HWY_ONCE
