// The hyperbolic tangent and the logistic function, and their gradients.

#include "yona/backend/cpu/each_row.h"
#include "yona/backend/cpu/targets.h"
#include "yona/backend/registration.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "yona/backend/cpu/tanh.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "yona/backend/cpu/map_rows-inl.h"
#include "yona/backend/cpu/sigmoid-inl.h"

HWY_BEFORE_NAMESPACE();
namespace yona {
namespace HWY_NAMESPACE {
namespace {

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

void tanh_row(const RowsArgs& args, std::int64_t i) {
  map_row(args, i, [](V x) YONA_INLINE_LAMBDA { return tanh_of(D(), x); });
}
void sigmoid_row(const RowsArgs& args, std::int64_t i) {
  map_row(args, i, [](V x) YONA_INLINE_LAMBDA { return sigmoid_of(D(), x); });
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
