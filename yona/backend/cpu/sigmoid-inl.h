// The logistic function and the hyperbolic tangent of a vector.
#if defined(YONA_BACKEND_CPU_SIGMOID_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef YONA_BACKEND_CPU_SIGMOID_INL_H_
#undef YONA_BACKEND_CPU_SIGMOID_INL_H_
#else
#define YONA_BACKEND_CPU_SIGMOID_INL_H_
#endif

#include "yona/backend/cpu/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace yona {
namespace HWY_NAMESPACE {

// 1 / (1 + e^-x); beyond ±87 it is 0 or 1 as far as f32 sees. NaN stays.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V sigmoid_of(D d, V x) {
  const V one = hn::Set(d, 1.0F);
  const V bounded = hn::Max(hn::Min(x, hn::Set(d, 87.0F)), hn::Set(d, -87.0F));
  const V y = hn::Div(one, hn::Add(one, fast_exp(d, hn::Neg(bounded))));
  return hn::IfThenElse(hn::IsNaN(x), x, y);
}

// 1 - 2 / (1 + e^2x), and x + x³ P(x²) (Cephes) below 0.625, where the difference cancels.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V tanh_of(D d, V x) {
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

}  // namespace HWY_NAMESPACE
}  // namespace yona
HWY_AFTER_NAMESPACE();

#endif  // include guard
