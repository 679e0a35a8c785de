// s = x + dropout(r) and its layer normalisation: a row is read once from memory and stays in the
// first-level cache for the mean, the variance and the result.

#include <cmath>

#include "yona/backend/cpu/each_row.h"
#include "yona/backend/cpu/targets.h"
#include "yona/backend/registration.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "yona/backend/cpu/residual_norm.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "yona/backend/cpu/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace yona {
namespace HWY_NAMESPACE {
namespace {

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

// Writes s = x + dropout(r); returns the sum of s.
HWY_INLINE float add_residual(const ResidualNormArgs& args, std::int64_t i) {
  const D d;
  const float* x = args.x.row<float>(i);
  const float* r = args.r.row<float>(i);
  float* s = args.s.row<float>(i);
  V sum = hn::Zero(d);
  for_each_dropped(d, args.x.cols, args.dropout, args.row_keys, i,
                   [&](std::int64_t j, auto part, auto drop) YONA_INLINE_LAMBDA {
                     const V value = hn::Add(load(d, x + j, part), drop(load(d, r + j, part)));
                     store(d, value, s + j, part);
                     sum = hn::Add(sum, value);
                   });
  return sum_of_lanes(d, sum);
}

HWY_INLINE float sum_of_row(const float* x, std::int64_t n) {
  const D d;
  V sum = hn::Zero(d);
  for_each_vector(d, n, [&](std::int64_t j, auto part) YONA_INLINE_LAMBDA {
    sum = hn::Add(sum, load(d, x + j, part));
  });
  return sum_of_lanes(d, sum);
}

// Σ (s - mean)²
HWY_INLINE float squared_deviations(const float* s, std::int64_t n, float mean) {
  const D d;
  const V center = hn::Set(d, mean);
  V sum = hn::Zero(d);
  for_each_vector(d, n, [&](std::int64_t j, auto part) YONA_INLINE_LAMBDA {
    const V deviation = hn::Sub(or_else(d, load(d, s + j, part), center, part), center);
    sum = hn::MulAdd(deviation, deviation, sum);
  });
  return sum_of_lanes(d, sum);
}

void residual_norm_row(const ResidualNormArgs& args, std::int64_t i) {
  const D d;
  const std::int64_t n = args.x.cols;
  const float* s = args.r ? args.s.row<float>(i) : args.x.row<float>(i);
  const float sum = args.r ? add_residual(args, i) : sum_of_row(s, n);
  const float mean = sum / static_cast<float>(n);
  const float variance = squared_deviations(s, n, mean) / static_cast<float>(n);
  const float rstd = 1.0F / std::sqrt(variance + args.epsilon);
  const float* weight = args.weight.row<float>(0);
  const float* bias = args.bias.row<float>(0);
  float* y = args.y.row<float>(i);
  // (s - mean) · rstd is formed first, as in the backward pass: folding mean into the bias would
  // lose digits where the mean is large compared with the deviation.
  const V center = hn::Set(d, mean);
  const V factor = hn::Set(d, rstd);
  for_each_vector(d, n, [&](std::int64_t j, auto part) YONA_INLINE_LAMBDA {
    const V normal = hn::Mul(hn::Sub(load(d, s + j, part), center), factor);
    store(d, hn::MulAdd(normal, load(d, weight + j, part), load(d, bias + j, part)), y + j, part);
  });
  float* statistics = args.statistics.row<float>(i);
  statistics[0] = mean;
  statistics[1] = rstd;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace yona
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace yona {

HWY_EXPORT(residual_norm_row);

namespace {

void residual_norm(const ResidualNormArgs& args, Exec& exec) {
  cpu::each_row(args, args.x, reference_kernels().residual_norm,
                HWY_DYNAMIC_DISPATCH(residual_norm_row), exec);
}

const Registration registration(BackendKind::cpu,
                                [](Kernels& table) { table.residual_norm = residual_norm; });

}  // namespace
}  // namespace yona
#endif  // HWY_ONCE
