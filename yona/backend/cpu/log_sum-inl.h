// The largest element of a row and the sum of its exponentials: what softmax and top_k share.
// Once per instruction set.
#if defined(YONA_BACKEND_CPU_LOG_SUM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef YONA_BACKEND_CPU_LOG_SUM_INL_H_
#undef YONA_BACKEND_CPU_LOG_SUM_INL_H_
#else
#define YONA_BACKEND_CPU_LOG_SUM_INL_H_
#endif

#include <limits>

#include "yona/backend/cpu/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace yona {
namespace HWY_NAMESPACE {
namespace {

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

inline constexpr float kInfinity = std::numeric_limits<float>::infinity();

HWY_INLINE float largest_of(const float* x, std::int64_t n) {
  const D d;
  const V lowest = hn::Set(d, -kInfinity);
  V largest = lowest;
  for_each_vector(d, n, [&](std::int64_t j, auto part) YONA_INLINE_LAMBDA {
    largest = hn::Max(largest, or_else(d, load(d, x + j, part), lowest, part));
  });
  return max_of_lanes(d, largest);
}

// Σ e^(x - largest); y gets the terms where it is given. y may be x.
HWY_INLINE float exponentials(const float* x, std::int64_t n, float largest, float* y) {
  const D d;
  const V shift = hn::Set(d, largest);
  V sum = hn::Zero(d);
  for_each_vector(d, n, [&](std::int64_t j, auto part) YONA_INLINE_LAMBDA {
    const V e = fast_exp(d, hn::Sub(load(d, x + j, part), shift));
    sum = hn::Add(sum, or_else(d, e, hn::Zero(d), part));
    if (y != nullptr) {
      store(d, e, y + j, part);
    }
  });
  return sum_of_lanes(d, sum);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace yona
HWY_AFTER_NAMESPACE();

#endif  // include guard of one target
