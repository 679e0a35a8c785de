// Dropout of single elements, a row at a time; its backward is the same kernel on the gradient.

#include "yona/backend/cpu/each_row.h"
#include "yona/backend/cpu/targets.h"
#include "yona/backend/registration.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "yona/backend/cpu/dropout.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "yona/backend/cpu/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace yona {
namespace HWY_NAMESPACE {
namespace {

void dropout_row(const DropoutArgs& args, std::int64_t i) {
  const hn::ScalableTag<float> d;
  const float* x = args.x.row<float>(i);
  float* y = args.y.row<float>(i);
  const float* residual = args.residual ? args.residual.row<float>(i) : nullptr;
  for_each_dropped(d, args.x.cols, args.dropout, args.row_keys, i,
                   [&](std::int64_t j, auto part, auto drop) YONA_INLINE_LAMBDA {
                     auto value = drop(load(d, x + j, part));
                     if (residual != nullptr) {
                       value = hn::Add(value, load(d, residual + j, part));
                     }
                     store_or_add(d, value, y + j, args.accumulate, part);
                   });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace yona
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace yona {

HWY_EXPORT(dropout_row);

namespace {

void dropout(const DropoutArgs& args, Exec& exec) {
  cpu::each_row(args, args.x, reference_kernels().dropout, HWY_DYNAMIC_DISPATCH(dropout_row), exec);
}

const Registration registration(BackendKind::cpu, [](Kernels& table) { table.dropout = dropout; });

}  // namespace
}  // namespace yona
#endif  // HWY_ONCE
