// GELU, exact: x Φ(x) with Φ the normal distribution function, and its gradient.

#include "yona/backend/cpu/each_row.h"
#include "yona/backend/cpu/targets.h"
#include "yona/backend/registration.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "yona/backend/cpu/gelu.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "yona/backend/cpu/map_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace yona {
namespace HWY_NAMESPACE {
namespace {

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

struct Normal {
  V cumulative;  // Φ(x)
  V bell;        // e^(-x²/2)
};

// Φ(-|x|) = ½ erfc(|x|/√2) = ½ (a₁t + … + a₅t⁵) e^(-x²/2), t = 1 / (1 + p|x|/√2), to 1.5e-7
// (Abramowitz and Stegun 7.1.26); Φ(|x|) = 1 - Φ(-|x|).
HWY_INLINE Normal normal_distribution(V x) {
  const D d;
  const auto set = [&](float value) YONA_INLINE_LAMBDA { return hn::Set(d, value); };
  const V bell = fast_exp(d, hn::Mul(hn::Mul(x, x), set(-0.5F)));
  const V t = hn::Div(set(1.0F), hn::MulAdd(hn::Abs(x), set(0.3275911F * 0.70710678F), set(1.0F)));
  V p = set(1.061405429F);
  p = hn::MulAdd(p, t, set(-1.453152027F));
  p = hn::MulAdd(p, t, set(1.421413741F));
  p = hn::MulAdd(p, t, set(-0.284496736F));
  p = hn::MulAdd(p, t, set(0.254829592F));
  const V tail = hn::Mul(hn::Mul(hn::Mul(p, t), bell), set(0.5F));
  return {hn::IfThenElse(hn::Lt(x, hn::Zero(d)), tail, hn::Sub(set(1.0F), tail)), bell};
}

void gelu_row(const RowsArgs& args, std::int64_t i) {
  map_row(args, i,
          [](V x) YONA_INLINE_LAMBDA { return hn::Mul(x, normal_distribution(x).cumulative); });
}

// d/dx x Φ(x) = Φ(x) + x φ(x), φ(x) = e^(-x²/2) / √(2π)
void gelu_backward_row(const RowsBackwardArgs& args, std::int64_t i) {
  slope_row(args, i, [](V x) YONA_INLINE_LAMBDA {
    const Normal normal = normal_distribution(x);
    const V density = hn::Mul(normal.bell, hn::Set(D(), 0.39894228F));
    return hn::MulAdd(x, density, normal.cumulative);
  });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace yona
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace yona {

HWY_EXPORT(gelu_row);
HWY_EXPORT(gelu_backward_row);

namespace {

void gelu(const RowsArgs& args, Exec& exec) {
  cpu::each_row(args, args.x, reference_kernels().gelu, HWY_DYNAMIC_DISPATCH(gelu_row), exec);
}

void gelu_backward(const RowsBackwardArgs& args, Exec& exec) {
  cpu::each_row(args, args.dy, reference_kernels().gelu_backward,
                HWY_DYNAMIC_DISPATCH(gelu_backward_row), exec);
}

const Registration registration(BackendKind::cpu, [](Kernels& table) {
  table.gelu = gelu;
  table.gelu_backward = gelu_backward;
});

}  // namespace
}  // namespace yona
#endif  // HWY_ONCE
