// The small vocabulary that CPU kernels are written in: rows walked a vector at a time, with the
// last, partial vector handled by the same code; and a fast exponential.
//
//   const hn::ScalableTag<float> d;
//   for_each_vector(d, n, [&](std::int64_t j, auto part) YONA_INLINE_LAMBDA {
//     store(d, hn::Mul(load(d, x + j, part), scale), y + j, part);
//   });
//
// `part` is Whole{} for full vectors, so that their loop has no masks, and Part{count} at the end.
#if defined(YONA_BACKEND_CPU_VECTOR_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef YONA_BACKEND_CPU_VECTOR_INL_H_
#undef YONA_BACKEND_CPU_VECTOR_INL_H_
#else
#define YONA_BACKEND_CPU_VECTOR_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include <hwy/highway.h>

#include "yona/backend/cpu/dropout-inl.h"

#undef YONA_INLINE_LAMBDA
#define YONA_INLINE_LAMBDA HWY_ATTR __attribute__((always_inline))

HWY_BEFORE_NAMESPACE();
namespace yona {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

struct Whole {};
struct Part {
  std::size_t count;  // lanes that are there, fewer than Lanes(d)
};

template <class D, class T = hn::TFromD<D>>
HWY_INLINE hn::Vec<D> load(D d, const T* from, Whole /*part*/) {
  return hn::LoadU(d, from);
}

// Lanes that are not there are zero, and their memory is not touched.
template <class D, class T = hn::TFromD<D>>
HWY_INLINE hn::Vec<D> load(D d, const T* from, Part part) {
#if HWY_MEM_OPS_MIGHT_FAULT
  HWY_ALIGN T lanes[hn::MaxLanes(D())] = {};
  for (std::size_t i = 0; i < part.count; ++i) {
    lanes[i] = from[i];
  }
  return hn::Load(d, lanes);
#else
  return hn::MaskedLoad(hn::FirstN(d, part.count), d, from);
#endif
}

template <class D, class V, class T = hn::TFromD<D>>
HWY_INLINE void store(D d, V value, T* to, Whole /*part*/) {
  hn::StoreU(value, d, to);
}

template <class D, class V, class T = hn::TFromD<D>>
HWY_INLINE void store(D d, V value, T* to, Part part) {
#if HWY_MEM_OPS_MIGHT_FAULT
  HWY_ALIGN T lanes[hn::MaxLanes(D())];
  hn::Store(value, d, lanes);
  for (std::size_t i = 0; i < part.count; ++i) {
    to[i] = lanes[i];
  }
#else
  hn::BlendedStore(value, hn::FirstN(d, part.count), d, to);
#endif
}

// to (+)= value
template <class D, class V, class T, class Which>
HWY_INLINE void store_or_add(D d, V value, T* to, bool adds, Which part) {
  store(d, adds ? hn::Add(value, load(d, to, part)) : value, to, part);
}

// value, with `other` in lanes that are not there.
template <class D, class V>
HWY_INLINE V or_else(D /*d*/, V value, V /*other*/, Whole /*part*/) {
  return value;
}
template <class D, class V>
HWY_INLINE V or_else(D d, V value, V other, Part part) {
  return hn::IfThenElse(hn::FirstN(d, part.count), value, other);
}

template <class D, class Function>
HWY_INLINE void for_each_vector(D d, std::int64_t n, const Function& function) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t j = 0;
  for (; j + lanes <= n; j += lanes) {
    function(j, Whole{});
  }
  if (j < n) {
    function(j, Part{static_cast<std::size_t>(n - j)});
  }
}

// The same for sums over long rows: function(j, part, k) with k = 0 … 3 in turn, for four
// accumulators, which hide the latency of additions.
template <class D, class Function>
HWY_INLINE void for_each_of_four(D d, std::int64_t n, const Function& function) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t j = 0;
  for (; j + 4 * lanes <= n; j += 4 * lanes) {
    function(j, Whole{}, 0);
    function(j + lanes, Whole{}, 1);
    function(j + 2 * lanes, Whole{}, 2);
    function(j + 3 * lanes, Whole{}, 3);
  }
  for_each_vector(d, n - j, [&](std::int64_t rest, auto part) YONA_INLINE_LAMBDA {
    function(j + rest, part, 0);
  });
}

// The same with dropout of row `row`: function(j, part, drop), where drop(v) is the vector of
// channels j … after dropout: scaled where kept, zero elsewhere.
template <class D, class Function>
HWY_INLINE void for_each_dropped(D d, std::int64_t n, const Dropout& dropout,
                                 const std::uint64_t* row_keys, std::int64_t row,
                                 const Function& function) {
  using V = hn::Vec<D>;
  if (!dropout) {
    for_each_vector(d, n, [&](std::int64_t j, auto part) YONA_INLINE_LAMBDA {
      function(j, part, [](V v) YONA_INLINE_LAMBDA { return v; });
    });
    return;
  }
  constexpr std::int64_t kGroup = 128;
  const V scale = hn::Set(d, dropout.scale);
  for (std::int64_t begin = 0; begin < n; begin += kGroup) {
    std::uint8_t bits[kDropoutGroupBytes];
    dropout_group_bits(dropout, row_keys[row], static_cast<std::uint32_t>(begin / kGroup), bits);
    const std::int64_t count = n - begin < kGroup ? n - begin : kGroup;
    for_each_vector(d, count, [&](std::int64_t j, auto part) YONA_INLINE_LAMBDA {
      const auto mask = keep_mask(d, bits, j);
      function(begin + j, part,
               [&](V v) YONA_INLINE_LAMBDA { return hn::IfThenElseZero(mask, hn::Mul(v, scale)); });
    });
  }
}

// eˣ for x ≤ 88, within 2 ulp; zero below -87.3 (no subnormal results); NaN stays NaN.
//   eˣ = 2ⁿ e^r with n = round(x / ln 2) and |r| ≤ ½ ln 2; the polynomial for e^r is Cephes'.
// Adding 1.5·2²³ rounds to an integer and leaves it in the lowest bits; with 127 added too, those
// bits are the exponent of 2ⁿ.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V fast_exp(D d, V x) {
  const hn::RebindToUnsigned<D> du;
  const auto set = [&](float value) YONA_INLINE_LAMBDA { return hn::Set(d, value); };
  const V magic = set(0x1.8p23F + 127.0F);
  const V shifted = hn::MulAdd(x, set(1.44269504F), magic);
  const V n = hn::Sub(shifted, magic);
  V r = hn::NegMulAdd(n, set(0.693359375F), x);
  r = hn::NegMulAdd(n, set(-2.12194440e-4F), r);
  V p = set(1.9875691500e-4F);
  p = hn::MulAdd(p, r, set(1.3981999507e-3F));
  p = hn::MulAdd(p, r, set(8.3334519073e-3F));
  p = hn::MulAdd(p, r, set(4.1665795894e-2F));
  p = hn::MulAdd(p, r, set(1.6666665459e-1F));
  p = hn::MulAdd(p, r, set(5.0000001201e-1F));
  p = hn::MulAdd(p, hn::Mul(r, r), hn::Add(r, set(1.0F)));
  const V power = hn::BitCast(d, hn::ShiftLeft<23>(hn::BitCast(du, shifted)));
  return hn::IfThenZeroElse(hn::Lt(x, set(-87.3F)), hn::Mul(p, power));
}

template <class D>
HWY_INLINE float sum_of_lanes(D d, hn::Vec<D> v) {
  return hn::GetLane(hn::SumOfLanes(d, v));
}
template <class D>
HWY_INLINE float sum_of_lanes(D d, const hn::Vec<D> (&v)[4]) {
  return sum_of_lanes(d, hn::Add(hn::Add(v[0], v[1]), hn::Add(v[2], v[3])));
}
// The sums of the lanes of four vectors, each added as sum_of_lanes() adds them: halves down to
// pairs, then the pairs.
template <class D>
HWY_INLINE auto folded(D d, hn::Vec<D> v) {
  if constexpr (hn::MaxLanes(d) <= 4) {
    return v;
  } else {
    const hn::Half<D> half;
    return folded(half, hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
  }
}
template <class D>
HWY_INLINE hn::Vec<hn::Full128<float>> sums_of_four(D d, const hn::Vec<D> (&v)[4]) {
  const hn::Full128<float> four;
  const auto pairs = [&](int i) YONA_INLINE_LAMBDA {
    const auto a = folded(d, v[i]);
    const auto b = folded(d, v[i + 1]);
    return hn::Add(hn::ConcatLowerLower(four, b, a), hn::ConcatUpperUpper(four, b, a));
  };
  const auto first = pairs(0);
  const auto second = pairs(2);
  return hn::Add(hn::ConcatEven(four, second, first), hn::ConcatOdd(four, second, first));
}

template <class D>
HWY_INLINE float max_of_lanes(D d, hn::Vec<D> v) {
  return hn::GetLane(hn::MaxOfLanes(d, v));
}

}  // namespace HWY_NAMESPACE
}  // namespace yona
HWY_AFTER_NAMESPACE();

#endif  // include guard of one target
