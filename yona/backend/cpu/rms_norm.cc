// Normalisation by the root of the mean square: a row is read once from memory and stays in the
// first-level cache for the sum and the result. Gradients are the reference's.

#include <cmath>

#include "yona/backend/cpu/slices.h"
#include "yona/backend/cpu/targets.h"
#include "yona/backend/registration.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "yona/backend/cpu/rms_norm.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "yona/backend/cpu/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace yona {
namespace HWY_NAMESPACE {
namespace {

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

void rms_norm_row(const RmsNormArgs& args, std::int64_t i) {
  const D d;
  const std::int64_t n = args.x.cols;
  const float* x = args.x.row<float>(i);
  V squares = hn::Zero(d);
  for_each_vector(d, n, [&](std::int64_t j, auto part) YONA_INLINE_LAMBDA {
    const V value = load(d, x + j, part);
    squares = hn::MulAdd(value, value, squares);
  });
  const float rstd =
      1.0F / std::sqrt(sum_of_lanes(d, squares) / static_cast<float>(n) + args.epsilon);
  const float* weight = args.weight.row<float>(0);
  float* y = args.y.row<float>(i);
  for_each_vector(d, n, [&](std::int64_t j, auto part) YONA_INLINE_LAMBDA {
    const V normal = hn::Mul(load(d, x + j, part), hn::Set(d, rstd));
    store(d, hn::Mul(normal, load(d, weight + j, part)), y + j, part);
  });
  args.statistics.row<float>(i)[0] = rstd;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace yona
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace yona {

HWY_EXPORT(rms_norm_row);

namespace {

void rms_norm(const RmsNormArgs& args, Exec& exec) {
  if (args.x.dtype != DType::f32) {
    reference_kernels().rms_norm.function()(args, exec);
    return;
  }
  cpu::for_each_row(exec, args.x.rows, args.x.cols, [&](std::int64_t i) {
    HWY_DYNAMIC_DISPATCH(rms_norm_row)(args, i);
  });
}

const Registration registration(BackendKind::cpu,
                                [](Kernels& table) { table.rms_norm = rms_norm; });

}  // namespace
}  // namespace yona
#endif  // HWY_ONCE
