// SiLU and GELU's tanh formula: both are x σ(u), u = x or 2√(2/π) (x + 0.044715 x³), because
// ½ (1 + tanh v) = σ(2v). Gradients are the reference's.

#include "yona/backend/cpu/slices.h"
#include "yona/backend/cpu/targets.h"
#include "yona/backend/registration.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "yona/backend/cpu/silu.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "yona/backend/cpu/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace yona {
namespace HWY_NAMESPACE {
namespace {

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

// σ(u) = 1 / (1 + e^-u); e^88 is the largest that f32 holds.
HWY_INLINE V sigmoid(V u) {
  const D d;
  const V one = hn::Set(d, 1.0F);
  const V bounded = hn::Max(u, hn::Set(d, -87.0F));
  return hn::Div(one, hn::Add(one, fast_exp(d, hn::Neg(bounded))));
}

void silu_row(const RowsArgs& args, std::int64_t i) {
  const D d;
  const float* x = args.x.row<float>(i);
  float* y = args.y.row<float>(i);
  for_each_vector(d, args.x.cols, [&](std::int64_t j, auto part) YONA_INLINE_LAMBDA {
    const V value = load(d, x + j, part);
    store(d, hn::Mul(value, sigmoid(value)), y + j, part);
  });
}

void gelu_tanh_row(const RowsArgs& args, std::int64_t i) {
  const D d;
  const float* x = args.x.row<float>(i);
  float* y = args.y.row<float>(i);
  for_each_vector(d, args.x.cols, [&](std::int64_t j, auto part) YONA_INLINE_LAMBDA {
    const V value = load(d, x + j, part);
    const V cubic = hn::MulAdd(hn::Mul(value, value), hn::Set(d, 0.044715F), hn::Set(d, 1.0F));
    const V u = hn::Mul(hn::Mul(value, cubic), hn::Set(d, 1.5957691216F));  // 2√(2/π)
    store(d, hn::Mul(value, sigmoid(u)), y + j, part);
  });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace yona
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace yona {

HWY_EXPORT(silu_row);
HWY_EXPORT(gelu_tanh_row);

namespace {

void silu(const RowsArgs& args, Exec& exec) {
  if (args.x.dtype != DType::f32) {
    reference_kernels().silu.function()(args, exec);
    return;
  }
  cpu::for_each_row(exec, args.x.rows, args.x.cols, [&](std::int64_t i) {
    HWY_DYNAMIC_DISPATCH(silu_row)(args, i);
  });
}

void gelu_tanh(const RowsArgs& args, Exec& exec) {
  if (args.x.dtype != DType::f32) {
    reference_kernels().gelu_tanh.function()(args, exec);
    return;
  }
  cpu::for_each_row(exec, args.x.rows, args.x.cols, [&](std::int64_t i) {
    HWY_DYNAMIC_DISPATCH(gelu_tanh_row)(args, i);
  });
}

const Registration registration(BackendKind::cpu, [](Kernels& table) {
  table.silu = silu;
  table.gelu_tanh = gelu_tanh;
});

}  // namespace
}  // namespace yona
#endif  // HWY_ONCE
