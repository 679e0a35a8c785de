// dy ← dy ∘ [y > 0] · scale in place, and its column sums (the bias's gradient), in one walk.

#include "yona/backend/cpu/column_sums.h"
#include "yona/backend/cpu/targets.h"
#include "yona/backend/registration.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "yona/backend/cpu/bias_activation_backward.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "yona/backend/cpu/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace yona {
namespace HWY_NAMESPACE {
namespace {

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

// sums[j] += the row's result, when there are sums.
void bias_activation_backward_row(const BiasActivationBackwardArgs& args, std::int64_t i,
                                  float* sums) {
  const D d;
  const bool relu = args.activation == Activation::relu;
  const float* y = relu ? args.y.row<float>(i) : nullptr;
  float* dy = args.dy.row<float>(i);
  const V scale = hn::Set(d, args.scale);
  for_each_vector(d, args.dy.cols, [&](std::int64_t j, auto part) YONA_INLINE_LAMBDA {
    V value = load(d, dy + j, part);
    if (relu) {
      const auto active = hn::Gt(load(d, y + j, part), hn::Zero(d));
      value = hn::IfThenElseZero(active, hn::Mul(value, scale));
      store(d, value, dy + j, part);
    }
    if (sums != nullptr) {
      store(d, hn::Add(value, load(d, sums + j, part)), sums + j, part);
    }
  });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace yona
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace yona {

HWY_EXPORT(bias_activation_backward_row);

namespace {

void bias_activation_backward(const BiasActivationBackwardArgs& args, Exec& exec) {
  if (args.dy.dtype != DType::f32) {
    reference_kernels().bias_activation_backward.function()(args, exec);
    return;
  }
  if (!args.bias_gradient) {
    cpu::for_each_row(exec, args.dy.rows, args.dy.cols, [&](std::int64_t i) {
      HWY_DYNAMIC_DISPATCH(bias_activation_backward_row)(args, i, nullptr);
    });
    return;
  }
  const cpu::ColumnSums column_sums(args.dy.rows, args.dy.cols, 1);
  column_sums.for_each_row(exec, [&](std::int64_t i, float* sums) {
    HWY_DYNAMIC_DISPATCH(bias_activation_backward_row)(args, i, sums);
  });
  column_sums.add_to(args.bias_gradient.row<float>(0), 0);
}

const Registration registration(BackendKind::cpu, [](Kernels& table) {
  table.bias_activation_backward = bias_activation_backward;
});

}  // namespace
}  // namespace yona
#endif  // HWY_ONCE
