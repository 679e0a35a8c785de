// Elementwise functions of rows, and their gradients: what activations share. Once per instruction
// set.
#if defined(YONA_BACKEND_CPU_MAP_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef YONA_BACKEND_CPU_MAP_ROWS_INL_H_
#undef YONA_BACKEND_CPU_MAP_ROWS_INL_H_
#else
#define YONA_BACKEND_CPU_MAP_ROWS_INL_H_
#endif

#include "yona/backend/cpu/vector-inl.h"
#include "yona/backend/kernel_args.h"

HWY_BEFORE_NAMESPACE();
namespace yona {
namespace HWY_NAMESPACE {
namespace {

// y = function(x)
template <class Function>
HWY_INLINE void map_row(const RowsArgs& args, std::int64_t i, const Function& function) {
  const hn::ScalableTag<float> d;
  const float* x = args.x.row<float>(i);
  float* y = args.y.row<float>(i);
  for_each_vector(d, args.x.cols, [&](std::int64_t j, auto part) YONA_INLINE_LAMBDA {
    store(d, function(load(d, x + j, part)), y + j, part);
  });
}

// dx (+)= slope(saved) ∘ dy
template <class Slope>
HWY_INLINE void slope_row(const RowsBackwardArgs& args, std::int64_t i, const Slope& slope) {
  const hn::ScalableTag<float> d;
  const float* saved = args.saved.row<float>(i);
  const float* dy = args.dy.row<float>(i);
  float* dx = args.dx.row<float>(i);
  for_each_vector(d, args.dy.cols, [&](std::int64_t j, auto part) YONA_INLINE_LAMBDA {
    auto result = hn::Mul(slope(load(d, saved + j, part)), load(d, dy + j, part));
    store_or_add(d, result, dx + j, args.accumulate, part);
  });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace yona
HWY_AFTER_NAMESPACE();

#endif  // include guard of one target
