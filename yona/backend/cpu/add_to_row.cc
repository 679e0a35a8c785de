#include "yona/backend/cpu/add_to_row.h"

#include "yona/backend/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "yona/backend/cpu/add_to_row.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "yona/backend/cpu/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace yona {
namespace HWY_NAMESPACE {
namespace {

using D = hn::ScalableTag<float>;

void add_row(const float* from, std::int64_t n, float* to) {
  const D d;
  for_each_vector(d, n, [&](std::int64_t j, auto part) YONA_INLINE_LAMBDA {
    store(d, hn::Add(load(d, from + j, part), load(d, to + j, part)), to + j, part);
  });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace yona
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace yona {

HWY_EXPORT(add_row);

void cpu::add_to_row(const float* from, std::int64_t n, float* to) {
  HWY_DYNAMIC_DISPATCH(add_row)(from, n, to);
}

}  // namespace yona
#endif  // HWY_ONCE
