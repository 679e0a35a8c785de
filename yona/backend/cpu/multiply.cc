// The product of two tensors, element by element.

#include "yona/backend/cpu/slices.h"
#include "yona/backend/cpu/targets.h"
#include "yona/backend/registration.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "yona/backend/cpu/multiply.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "yona/backend/cpu/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace yona {
namespace HWY_NAMESPACE {
namespace {

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

void multiply_piece(const MultiplyArgs& args, std::int64_t i, std::int64_t begin,
                    std::int64_t end) {
  const D d;
  const float* a = args.a.row<float>(i) + begin;
  const float* b = args.b.row<float>(i) + begin;
  float* y = args.y.row<float>(i) + begin;
  for_each_vector(d, end - begin, [&](std::int64_t j, auto part) YONA_INLINE_LAMBDA {
    const V product = hn::Mul(load(d, a + j, part), load(d, b + j, part));
    store(d, args.accumulate ? hn::Add(load(d, y + j, part), product) : product, y + j, part);
  });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace yona
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace yona {

HWY_EXPORT(multiply_piece);

namespace {

void multiply(const MultiplyArgs& args, Exec& exec) {
  if (args.y.dtype != DType::f32) {
    reference_kernels().multiply.function()(args, exec);
    return;
  }
  cpu::for_each_piece(exec, args.y.rows, args.y.cols,
                      [&](std::int64_t i, std::int64_t begin, std::int64_t end) {
                        HWY_DYNAMIC_DISPATCH(multiply_piece)(args, i, begin, end);
                      });
}

const Registration registration(BackendKind::cpu,
                                [](Kernels& table) { table.multiply = multiply; });

}  // namespace
}  // namespace yona
#endif  // HWY_ONCE
