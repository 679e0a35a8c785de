// Softmax and log-softmax of rows, and their gradients. A row that is -infinity throughout gives
// zeros (softmax).

#include <cmath>

#include "yona/backend/cpu/each_row.h"
#include "yona/backend/cpu/targets.h"
#include "yona/backend/registration.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "yona/backend/cpu/softmax.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "yona/backend/cpu/log_sum-inl.h"

HWY_BEFORE_NAMESPACE();
namespace yona {
namespace HWY_NAMESPACE {
namespace {

void softmax_row(const RowsArgs& args, std::int64_t i) {
  const D d;
  const std::int64_t n = args.x.cols;
  const float* x = args.x.row<float>(i);
  float* y = args.y.row<float>(i);
  const float largest = largest_of(x, n);
  const bool nothing = largest == -kInfinity;
  const float sum = exponentials(x, n, nothing ? 0.0F : largest, y);
  const V scale = hn::Set(d, nothing ? 0.0F : 1.0F / sum);
  for_each_vector(d, n, [&](std::int64_t j, auto part) YONA_INLINE_LAMBDA {
    store(d, hn::Mul(load(d, y + j, part), scale), y + j, part);
  });
}

void log_softmax_row(const RowsArgs& args, std::int64_t i) {
  const D d;
  const std::int64_t n = args.x.cols;
  const float* x = args.x.row<float>(i);
  float* y = args.y.row<float>(i);
  const float largest = largest_of(x, n);
  const float sum = exponentials(x, n, largest, nullptr);
  const V shift = hn::Set(d, largest == -kInfinity ? -kInfinity : largest + std::log(sum));
  for_each_vector(d, n, [&](std::int64_t j, auto part) YONA_INLINE_LAMBDA {
    store(d, hn::Sub(load(d, x + j, part), shift), y + j, part);
  });
}

// dx = y (dy - Σ y dy)
void softmax_backward_row(const RowsBackwardArgs& args, std::int64_t i) {
  const D d;
  const float* y = args.saved.row<float>(i);
  const float* dy = args.dy.row<float>(i);
  float* dx = args.dx.row<float>(i);
  V sum = hn::Zero(d);
  for_each_vector(d, args.dy.cols, [&](std::int64_t j, auto part) YONA_INLINE_LAMBDA {
    sum = hn::MulAdd(load(d, y + j, part), load(d, dy + j, part), sum);
  });
  const V total = hn::Set(d, sum_of_lanes(d, sum));
  for_each_vector(d, args.dy.cols, [&](std::int64_t j, auto part) YONA_INLINE_LAMBDA {
    const V value = hn::Mul(load(d, y + j, part), hn::Sub(load(d, dy + j, part), total));
    store_or_add(d, value, dx + j, args.accumulate, part);
  });
}

// dx = dy - e^y Σ dy
void log_softmax_backward_row(const RowsBackwardArgs& args, std::int64_t i) {
  const D d;
  const float* y = args.saved.row<float>(i);
  const float* dy = args.dy.row<float>(i);
  float* dx = args.dx.row<float>(i);
  V sum = hn::Zero(d);
  for_each_vector(d, args.dy.cols, [&](std::int64_t j, auto part) YONA_INLINE_LAMBDA {
    sum = hn::Add(load(d, dy + j, part), sum);
  });
  const V total = hn::Set(d, sum_of_lanes(d, sum));
  for_each_vector(d, args.dy.cols, [&](std::int64_t j, auto part) YONA_INLINE_LAMBDA {
    const V value = hn::NegMulAdd(fast_exp(d, load(d, y + j, part)), total, load(d, dy + j, part));
    store_or_add(d, value, dx + j, args.accumulate, part);
  });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace yona
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace yona {

HWY_EXPORT(softmax_row);
HWY_EXPORT(log_softmax_row);
HWY_EXPORT(softmax_backward_row);
HWY_EXPORT(log_softmax_backward_row);

namespace {

void softmax(const RowsArgs& args, Exec& exec) {
  cpu::each_row(args, args.x, reference_kernels().softmax, HWY_DYNAMIC_DISPATCH(softmax_row), exec);
}

void log_softmax(const RowsArgs& args, Exec& exec) {
  cpu::each_row(args, args.x, reference_kernels().log_softmax,
                HWY_DYNAMIC_DISPATCH(log_softmax_row), exec);
}

void softmax_backward(const RowsBackwardArgs& args, Exec& exec) {
  cpu::each_row(args, args.dy, reference_kernels().softmax_backward,
                HWY_DYNAMIC_DISPATCH(softmax_backward_row), exec);
}

void log_softmax_backward(const RowsBackwardArgs& args, Exec& exec) {
  cpu::each_row(args, args.dy, reference_kernels().log_softmax_backward,
                HWY_DYNAMIC_DISPATCH(log_softmax_backward_row), exec);
}

const Registration registration(BackendKind::cpu, [](Kernels& table) {
  table.softmax = softmax;
  table.softmax_backward = softmax_backward;
  table.log_softmax = log_softmax;
  table.log_softmax_backward = log_softmax_backward;
});

}  // namespace
}  // namespace yona
#endif  // HWY_ONCE
