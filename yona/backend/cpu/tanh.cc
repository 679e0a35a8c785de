// The hyperbolic tangent and the logistic function, and their gradients.

#include "yona/backend/cpu/slices.h"
#include "yona/backend/cpu/targets.h"
#include "yona/backend/registration.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "yona/backend/cpu/tanh.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "yona/backend/cpu/sigmoid-inl.h"

HWY_BEFORE_NAMESPACE();
namespace yona {
namespace HWY_NAMESPACE {
namespace {

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

template <class Function>
HWY_INLINE void map_row(const RowsArgs& args, std::int64_t i, const Function& function) {
  const D d;
  const float* x = args.x.row<float>(i);
  float* y = args.y.row<float>(i);
  for_each_vector(d, args.x.cols, [&](std::int64_t j, auto part) YONA_INLINE_LAMBDA {
    store(d, function(load(d, x + j, part)), y + j, part);
  });
}

template <class Slope>
HWY_INLINE void slope_row(const RowsBackwardArgs& args, std::int64_t i, const Slope& slope) {
  const D d;
  const float* y = args.saved.row<float>(i);
  const float* dy = args.dy.row<float>(i);
  float* dx = args.dx.row<float>(i);
  for_each_vector(d, args.dy.cols, [&](std::int64_t j, auto part) YONA_INLINE_LAMBDA {
    V result = hn::Mul(slope(load(d, y + j, part)), load(d, dy + j, part));
    if (args.accumulate) {
      result = hn::Add(result, load(d, dx + j, part));
    }
    store(d, result, dx + j, part);
  });
}

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
  if (args.x.dtype != DType::f32) {
    reference_kernels().tanh.function()(args, exec);
    return;
  }
  cpu::for_each_row(exec, args.x.rows, args.x.cols, [&](std::int64_t i) {
    HWY_DYNAMIC_DISPATCH(tanh_row)(args, i);
  });
}

void sigmoid_rows(const RowsArgs& args, Exec& exec) {
  if (args.x.dtype != DType::f32) {
    reference_kernels().sigmoid.function()(args, exec);
    return;
  }
  cpu::for_each_row(exec, args.x.rows, args.x.cols, [&](std::int64_t i) {
    HWY_DYNAMIC_DISPATCH(sigmoid_row)(args, i);
  });
}

void tanh_backward(const RowsBackwardArgs& args, Exec& exec) {
  if (args.dy.dtype != DType::f32) {
    reference_kernels().tanh_backward.function()(args, exec);
    return;
  }
  cpu::for_each_row(exec, args.dy.rows, args.dy.cols, [&](std::int64_t i) {
    HWY_DYNAMIC_DISPATCH(tanh_backward_row)(args, i);
  });
}

void sigmoid_backward(const RowsBackwardArgs& args, Exec& exec) {
  if (args.dy.dtype != DType::f32) {
    reference_kernels().sigmoid_backward.function()(args, exec);
    return;
  }
  cpu::for_each_row(exec, args.dy.rows, args.dy.cols, [&](std::int64_t i) {
    HWY_DYNAMIC_DISPATCH(sigmoid_backward_row)(args, i);
  });
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
