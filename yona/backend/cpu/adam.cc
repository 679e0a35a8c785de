// Adam in one pass over the flat buffers, with the weights' bf16 copy, and the squared norm that
// clipping needs. Both are bound by memory: what counts is that nothing is read or written twice.

#include <algorithm>
#include <cmath>
#include <numeric>

#include "yona/backend/cpu/bf16.h"
#include "yona/backend/cpu/scratch.h"
#include "yona/backend/cpu/slices.h"
#include "yona/backend/cpu/targets.h"
#include "yona/backend/registration.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "yona/backend/cpu/adam.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "yona/backend/cpu/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace yona {
namespace HWY_NAMESPACE {
namespace {

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

// Σ x² in double: squares of 32 floats at a time would lose digits over millions of elements.
double squared_norm_range(const float* x, std::int64_t n) {
  const hn::ScalableTag<double> d64;
  const hn::Rebind<float, decltype(d64)> d;
  auto zero = hn::Zero(d64);
  decltype(zero) sum[4] = {zero, zero, zero, zero};
  for_each_of_four(d, n, [&](std::int64_t j, auto part, int k) YONA_INLINE_LAMBDA {
    const auto value = hn::PromoteTo(d64, load(d, x + j, part));
    sum[k] = hn::MulAdd(value, value, sum[k]);
  });
  const auto total = hn::Add(hn::Add(sum[0], sum[1]), hn::Add(sum[2], sum[3]));
  return hn::GetLane(hn::SumOfLanes(d64, total));
}

void adam_range(const AdamArgs& args, float clip, std::int64_t begin, std::int64_t end) {
  const D d;
  float* weights = args.weights.row<float>(0);
  const float* gradients = args.gradients.row<float>(0);
  float* first = args.m.row<float>(0);
  float* second = args.v.row<float>(0);
  float* average = args.average ? args.average.row<float>(0) : nullptr;
  const auto set = [&](float value) YONA_INLINE_LAMBDA { return hn::Set(d, value); };
  for_each_vector(d, end - begin, [&](std::int64_t offset, auto part) YONA_INLINE_LAMBDA {
    const std::int64_t i = begin + offset;
    const V g = hn::Mul(load(d, gradients + i, part), set(clip));
    const V m =
        hn::MulAdd(set(args.beta1), load(d, first + i, part), hn::Mul(set(1.0F - args.beta1), g));
    const V v = hn::MulAdd(set(args.beta2), load(d, second + i, part),
                           hn::Mul(hn::Mul(set(1.0F - args.beta2), g), g));
    const V root = hn::Sqrt(hn::Mul(v, set(1.0F / args.correction2)));
    const V step =
        hn::Div(hn::Mul(m, set(1.0F / args.correction1)), hn::Add(root, set(args.epsilon)));
    V w = load(d, weights + i, part);
    w = hn::NegMulAdd(set(args.rate), hn::MulAdd(set(args.decay), w, step), w);
    store(d, m, first + i, part);
    store(d, v, second + i, part);
    store(d, w, weights + i, part);
    if (average != nullptr) {
      const V old = load(d, average + i, part);
      store(d, hn::MulAdd(set(args.ema), old, hn::Mul(set(1.0F - args.ema), w)), average + i, part);
    }
  });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace yona
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace yona {

HWY_EXPORT(squared_norm_range);
HWY_EXPORT(adam_range);

namespace {

constexpr std::int64_t kSliceElements = std::int64_t{1} << 16U;

// Rows one after another, each in slices; their sums are added in order.
void squared_norm(const SquaredNormArgs& args, Exec& exec) {
  if (args.x.dtype != DType::f32) {
    reference_kernels().squared_norm.function()(args, exec);
    return;
  }
  const bool flat = args.x.stride == args.x.cols;
  const std::int64_t rows = flat ? std::min<std::int64_t>(1, args.x.rows) : args.x.rows;
  const std::int64_t cols = flat ? args.x.rows * args.x.cols : args.x.cols;
  const std::int64_t slices = (cols + kSliceElements - 1) / kSliceElements;
  thread_local cpu::Scratch<double> scratch;
  double* sums = scratch.get(static_cast<std::size_t>(rows * slices));
  exec.pool->run(rows * slices, [&](std::int64_t slice) {
    const std::int64_t begin = slice % slices * kSliceElements;
    sums[slice] = HWY_DYNAMIC_DISPATCH(squared_norm_range)(
        args.x.row<float>(slice / slices) + begin, std::min(kSliceElements, cols - begin));
  });
  *args.out = std::accumulate(sums, sums + rows * slices, 0.0);
}

void adam(const AdamArgs& args, Exec& exec) {
  if (args.weights.dtype != DType::f32) {
    reference_kernels().adam.function()(args, exec);
    return;
  }
  if (!std::isfinite(*args.squared_norm)) {
    return;
  }
  double clip = 1.0;
  if (args.clip_norm > 0) {
    clip = std::min(1.0, static_cast<double>(args.clip_norm) / std::sqrt(*args.squared_norm));
  }
  exec.pool->run_ranges(args.weights.rows * args.weights.cols, kSliceElements,
                        [&](std::int64_t begin, std::int64_t end) {
                          HWY_DYNAMIC_DISPATCH(adam_range)
                          (args, static_cast<float>(clip), begin, end);
                          if (args.rounded) {  // while the slice is in the cache
                            cpu::round_to_bf16(args.weights.row<float>(0) + begin, end - begin,
                                               args.rounded.row<std::uint16_t>(0) + begin);
                          }
                        });
}

const Registration registration(BackendKind::cpu, [](Kernels& table) {
  table.squared_norm = squared_norm;
  table.adam = adam;
});

}  // namespace
}  // namespace yona
#endif  // HWY_ONCE
