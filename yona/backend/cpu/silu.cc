// SiLU and GELU's tanh formula: both are x σ(u), u = x or 2√(2/π) (x + 0.044715 x³), because
// ½ (1 + tanh v) = σ(2v); and their gradients, d/dx x σ(u) = σ(u) (1 + x (1 - σ(u)) u').

#include "yona/backend/cpu/each_row.h"
#include "yona/backend/cpu/targets.h"
#include "yona/backend/registration.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "yona/backend/cpu/silu.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "yona/backend/cpu/map_rows-inl.h"

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

constexpr float kTwiceRoot = 1.5957691216F;  // 2√(2/π)
constexpr float kCubic = 0.044715F;

void silu_row(const RowsArgs& args, std::int64_t i) {
  map_row(args, i, [](V x) YONA_INLINE_LAMBDA { return hn::Mul(x, sigmoid(x)); });
}

void gelu_tanh_row(const RowsArgs& args, std::int64_t i) {
  map_row(args, i, [](V x) YONA_INLINE_LAMBDA {
    const D d;
    const V cubic = hn::MulAdd(hn::Mul(x, x), hn::Set(d, kCubic), hn::Set(d, 1.0F));
    const V u = hn::Mul(hn::Mul(x, cubic), hn::Set(d, kTwiceRoot));
    return hn::Mul(x, sigmoid(u));
  });
}

// σ (1 + x (1 - σ) u')
HWY_INLINE V slope_at(V x, V sigma, V u_slope) {
  const V one = hn::Set(D(), 1.0F);
  const V rest = hn::Mul(hn::Mul(x, hn::Sub(one, sigma)), u_slope);
  return hn::MulAdd(sigma, rest, sigma);
}

HWY_INLINE V silu_slope(V x) { return slope_at(x, sigmoid(x), hn::Set(D(), 1.0F)); }

HWY_INLINE V gelu_tanh_slope(V x) {
  const D d;
  const V one = hn::Set(d, 1.0F);
  const V scaled = hn::Mul(hn::Mul(x, x), hn::Set(d, kCubic));
  const V u = hn::Mul(hn::Mul(x, hn::Add(scaled, one)), hn::Set(d, kTwiceRoot));
  const V u_slope = hn::Mul(hn::MulAdd(scaled, hn::Set(d, 3.0F), one), hn::Set(d, kTwiceRoot));
  return slope_at(x, sigmoid(u), u_slope);
}

void silu_backward_row(const RowsBackwardArgs& args, std::int64_t i) {
  slope_row(args, i, [](V x) YONA_INLINE_LAMBDA { return silu_slope(x); });
}

void gelu_tanh_backward_row(const RowsBackwardArgs& args, std::int64_t i) {
  slope_row(args, i, [](V x) YONA_INLINE_LAMBDA { return gelu_tanh_slope(x); });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace yona
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace yona {

HWY_EXPORT(silu_row);
HWY_EXPORT(gelu_tanh_row);
HWY_EXPORT(silu_backward_row);
HWY_EXPORT(gelu_tanh_backward_row);

namespace {

void silu(const RowsArgs& args, Exec& exec) {
  cpu::each_row(args, args.x, reference_kernels().silu, HWY_DYNAMIC_DISPATCH(silu_row), exec);
}

void gelu_tanh(const RowsArgs& args, Exec& exec) {
  cpu::each_row(args, args.x, reference_kernels().gelu_tanh, HWY_DYNAMIC_DISPATCH(gelu_tanh_row),
                exec);
}

void silu_backward(const RowsBackwardArgs& args, Exec& exec) {
  cpu::each_row(args, args.dy, reference_kernels().silu_backward,
                HWY_DYNAMIC_DISPATCH(silu_backward_row), exec);
}

void gelu_tanh_backward(const RowsBackwardArgs& args, Exec& exec) {
  cpu::each_row(args, args.dy, reference_kernels().gelu_tanh_backward,
                HWY_DYNAMIC_DISPATCH(gelu_tanh_backward_row), exec);
}

const Registration registration(BackendKind::cpu, [](Kernels& table) {
  table.silu = silu;
  table.silu_backward = silu_backward;
  table.gelu_tanh = gelu_tanh;
  table.gelu_tanh_backward = gelu_tanh_backward;
});

}  // namespace
}  // namespace yona
#endif  // HWY_ONCE
