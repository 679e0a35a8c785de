// Rotary position embedding: all heads of a row with the row's cosines and sines.

#include "yona/backend/cpu/each_row.h"
#include "yona/backend/cpu/targets.h"
#include "yona/backend/registration.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "yona/backend/cpu/rotary.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "yona/backend/cpu/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace yona {
namespace HWY_NAMESPACE {
namespace {

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

void rotate_row(const RotaryArgs& args, std::int64_t row) {
  const D d;
  const std::int64_t half = args.table.cols / 2;
  const float* cosines = args.table.row<float>(args.positions[row]);
  const float* sines = cosines + half;
  const V sign = hn::Set(d, args.inverse ? -1.0F : 1.0F);
  for (std::int64_t begin = 0; begin < args.x.cols; begin += args.d_k) {
    float* a = args.x.row<float>(row) + begin;
    float* b = a + half;
    for_each_vector(d, half, [&](std::int64_t i, auto part) YONA_INLINE_LAMBDA {
      const V cosine = load(d, cosines + i, part);
      const V sine = hn::Mul(sign, load(d, sines + i, part));
      const V a_i = load(d, a + i, part);
      const V b_i = load(d, b + i, part);
      store(d, hn::NegMulAdd(b_i, sine, hn::Mul(a_i, cosine)), a + i, part);
      store(d, hn::MulAdd(a_i, sine, hn::Mul(b_i, cosine)), b + i, part);
    });
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace yona
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace yona {

HWY_EXPORT(rotate_row);

namespace {

void rotary(const RotaryArgs& args, Exec& exec) {
  cpu::each_row(args, args.x, reference_kernels().rotary, HWY_DYNAMIC_DISPATCH(rotate_row), exec);
}

const Registration registration(BackendKind::cpu, [](Kernels& table) { table.rotary = rotary; });

}  // namespace
}  // namespace yona
#endif  // HWY_ONCE
