// The hyperbolic tangent and the logistic function, and their gradients.

#include "yona/backend/cpu/each_row.h"
#include "yona/backend/cpu/targets.h"
#include "yona/backend/registration.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "yona/backend/cpu/tanh.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "yona/backend/cpu/map_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace yona {
namespace HWY_NAMESPACE {
namespace {

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

// 1 / (1 + e^-x); beyond ±87 it is 0 or 1 as far as f32 sees. NaN stays.
HWY_INLINE V sigmoid_of(V x) {
  const D d;
  const V one = hn::Set(d, 1.0F);
  const V bounded = hn::Max(hn::Min(x, hn::Set(d, 87.0F)), hn::Set(d, -87.0F));
  const V y = hn::Div(one, hn::Add(one, fast_exp(d, hn::Neg(bounded))));
  return hn::IfThenElse(hn::IsNaN(x), x, y);
}

// 1 - 2 / (1 + e^2x), and x + x³ P(x²) (Cephes) below 0.625, where the difference cancels.
HWY_INLINE V tanh_of(V x) {
  const D d;
  const auto set = [&](float value) YONA_INLINE_LAMBDA { return hn::Set(d, value); };
  const V twice = hn::Min(hn::Abs(hn::Add(x, x)), set(40.0F));
  const V far = hn::Sub(set(1.0F), hn::Div(set(2.0F), hn::Add(set(1.0F), fast_exp(d, twice))));
  const V z = hn::Mul(x, x);
  V p = set(-5.70498872745e-3F);
  p = hn::MulAdd(p, z, set(2.06390887954e-2F));
  p = hn::MulAdd(p, z, set(-5.37397155531e-2F));
  p = hn::MulAdd(p, z, set(1.33314422036e-1F));
  p = hn::MulAdd(p, z, set(-3.33332819422e-1F));
  const V near = hn::MulAdd(hn::Mul(p, z), x, x);
  const V y = hn::IfThenElse(hn::Lt(hn::Abs(x), set(0.625F)), near, hn::CopySign(far, x));
  return hn::IfThenElse(hn::IsNaN(x), x, y);
}

void tanh_row(const RowsArgs& args, std::int64_t i) {
  map_row(args, i, [](V x) YONA_INLINE_LAMBDA { return tanh_of(x); });
}
void sigmoid_row(const RowsArgs& args, std::int64_t i) {
  map_row(args, i, [](V x) YONA_INLINE_LAMBDA { return sigmoid_of(x); });
}
// 1 - y²
void tanh_backward_row(const RowsBackwardArgs& args, std::int64_t i) {
  slope_row(args, i,
            [](V y) YONA_INLINE_LAMBDA { return hn::NegMulAdd(y, y, hn::Set(D(), 1.0F)); });
}
// y (1 - y)
void sigmoid_backward_row(const RowsBackwardArgs& args, std::int64_t i) {
  slope_row(args, i, [](V y) YONA_INLINE_LAMBDA { return hn::NegMulAdd(y, y, y); });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace yona
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace yona {

HWY_EXPORT(tanh_row);
HWY_EXPORT(sigmoid_row);
HWY_EXPORT(tanh_backward_row);
HWY_EXPORT(sigmoid_backward_row);

namespace {

void tanh_rows(const RowsArgs& args, Exec& exec) {
  cpu::each_row(args, args.x, reference_kernels().tanh, HWY_DYNAMIC_DISPATCH(tanh_row), exec);
}

void sigmoid_rows(const RowsArgs& args, Exec& exec) {
  cpu::each_row(args, args.x, reference_kernels().sigmoid, HWY_DYNAMIC_DISPATCH(sigmoid_row), exec);
}

void tanh_backward(const RowsBackwardArgs& args, Exec& exec) {
  cpu::each_row(args, args.dy, reference_kernels().tanh_backward,
                HWY_DYNAMIC_DISPATCH(tanh_backward_row), exec);
}

void sigmoid_backward(const RowsBackwardArgs& args, Exec& exec) {
  cpu::each_row(args, args.dy, reference_kernels().sigmoid_backward,
                HWY_DYNAMIC_DISPATCH(sigmoid_backward_row), exec);
}

const Registration registration(BackendKind::cpu, [](Kernels& table) {
  table.tanh = tanh_rows;
  table.tanh_backward = tanh_backward;
  table.sigmoid = sigmoid_rows;
  table.sigmoid_backward = sigmoid_backward;
});

}  // namespace
}  // namespace yona
#endif  // HWY_ONCE
