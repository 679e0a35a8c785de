// Normalisation by the root of the mean square, and its gradients: a row is read once from memory
// and stays in the first-level cache for the sum and the result.

#include <cmath>

#include "yona/backend/cpu/column_sums.h"
#include "yona/backend/cpu/each_row.h"
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

// Σ g ∘ x̂ for g = dy ∘ weight; sums += dy ∘ x̂ where asked for.
HWY_INLINE float sum_of_products(const RmsNormBackwardArgs& args, std::int64_t i, float* sums) {
  const D d;
  const float* x = args.forward.x.row<float>(i);
  const float* dy = args.dy.row<float>(i);
  const float* weight = args.forward.weight.row<float>(0);
  const V rstd = hn::Set(d, args.forward.statistics.row<float>(i)[0]);
  V total = hn::Zero(d);
  for_each_vector(d, args.dy.cols, [&](std::int64_t j, auto part) YONA_INLINE_LAMBDA {
    const V product = hn::Mul(load(d, dy + j, part), hn::Mul(load(d, x + j, part), rstd));
    total = hn::MulAdd(product, load(d, weight + j, part), total);
    if (sums != nullptr) {
      store(d, hn::Add(product, load(d, sums + j, part)), sums + j, part);
    }
  });
  return sum_of_lanes(d, total);
}

// dx (+)= rstd · (g - x̂ · mean(g ∘ x̂))
void rms_norm_backward_row(const RmsNormBackwardArgs& args, std::int64_t i, float* sums) {
  const D d;
  const std::int64_t n = args.dy.cols;
  const float mean = sum_of_products(args, i, sums) / static_cast<float>(n);
  if (!args.dx) {
    return;
  }
  const float* x = args.forward.x.row<float>(i);
  const float* dy = args.dy.row<float>(i);
  const float* weight = args.forward.weight.row<float>(0);
  float* dx = args.dx.row<float>(i);
  const float rstd = args.forward.statistics.row<float>(i)[0];
  for_each_vector(d, n, [&](std::int64_t j, auto part) YONA_INLINE_LAMBDA {
    const V g = hn::Mul(load(d, dy + j, part), load(d, weight + j, part));
    V value =
        hn::Mul(hn::Set(d, rstd), hn::NegMulAdd(load(d, x + j, part), hn::Set(d, rstd * mean), g));
    store_or_add(d, value, dx + j, args.accumulate_dx, part);
  });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace yona
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace yona {

HWY_EXPORT(rms_norm_row);
HWY_EXPORT(rms_norm_backward_row);

namespace {

void rms_norm(const RmsNormArgs& args, Exec& exec) {
  cpu::each_row(args, args.x, reference_kernels().rms_norm, HWY_DYNAMIC_DISPATCH(rms_norm_row),
                exec);
}

void rms_norm_backward(const RmsNormBackwardArgs& args, Exec& exec) {
  if (args.dy.dtype != DType::f32) {
    reference_kernels().rms_norm_backward.function()(args, exec);
    return;
  }
  if (!args.dweight) {
    cpu::for_each_row(exec, args.dy.rows, args.dy.cols, [&](std::int64_t i) {
      HWY_DYNAMIC_DISPATCH(rms_norm_backward_row)(args, i, nullptr);
    });
    return;
  }
  const cpu::ColumnSums column_sums(args.dy.rows, args.dy.cols, 1);
  column_sums.for_each_row(exec, [&](std::int64_t i, float* sums) {
    HWY_DYNAMIC_DISPATCH(rms_norm_backward_row)(args, i, sums);
  });
  column_sums.add_to(args.dweight.row<float>(0), 0);
}

const Registration registration(BackendKind::cpu, [](Kernels& table) {
  table.rms_norm = rms_norm;
  table.rms_norm_backward = rms_norm_backward;
});

}  // namespace
}  // namespace yona
#endif  // HWY_ONCE
