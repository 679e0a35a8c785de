// Dropout's decisions (see yona/backend/dropout.h), many at a time, for kernels of every
// instruction set. Included inside Highway's per-target compilation, like hwy/contrib headers.
//
// Decisions are made as bits, 128 channels at a time: one bit per channel, set where it is kept.
//
//   std::uint8_t bits[kDropoutGroupBytes];
//   for (group = 0; 128 * group < channels; ++group) {
//     dropout_group_bits(dropout, row_keys[i], group, bits);
//     for (j = 0; j < 128; j += Lanes(d)) {
//       y = IfThenElseZero(keep_mask(d, bits, j), Mul(x, scale));   // j: a multiple of Lanes(d)
//     }
//   }
#if defined(YONA_BACKEND_CPU_DROPOUT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef YONA_BACKEND_CPU_DROPOUT_INL_H_
#undef YONA_BACKEND_CPU_DROPOUT_INL_H_
#else
#define YONA_BACKEND_CPU_DROPOUT_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include <hwy/highway.h>

#include "yona/backend/dropout.h"

HWY_BEFORE_NAMESPACE();
namespace yona {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// The four words of Lanes(u32) neighbouring Philox blocks: lane i of word w belongs to block
// `first + i`.
template <class D>
struct DropoutWords {
  hn::Vec<D> word[4];
};

// The 32-bit counters live in the lower halves of 64-bit lanes, even and odd blocks apart: the
// multiplier reads the lower half alone, so what gathers in the upper halves does no harm, and the
// rounds need neither shuffles nor masks.
template <class D>  // of std::uint32_t
HWY_INLINE DropoutWords<D> dropout_words(D d, const Dropout& dropout, std::uint64_t row_key,
                                         std::uint32_t first, std::uint32_t part) {
  const hn::Repartition<std::uint64_t, D> d64;
  using V = hn::Vec<decltype(d64)>;
  const auto low = [&](V v) HWY_ATTR { return hn::BitCast(d, v); };
  const auto multiplier0 = hn::Set(d, 0xD2511F53U);
  const auto multiplier1 = hn::Set(d, 0xCD9E8D57U);
  const V row0 = hn::Set(d64, row_key & 0xFFFFFFFFU);
  const V row1 = hn::Set(d64, row_key >> 32U);
  const V stream = hn::Set(d64, dropout.stream + part);
  const V even = hn::Add(hn::Set(d64, first), hn::ShiftLeft<1>(hn::Iota(d64, 0)));
  V a[4] = {even, row0, row1, stream};                            // blocks first + 0, 2, 4 …
  V b[4] = {hn::Add(even, hn::Set(d64, 1)), row0, row1, stream};  // blocks first + 1, 3, 5 …
  auto key0 = static_cast<std::uint32_t>(dropout.key);
  auto key1 = static_cast<std::uint32_t>(dropout.key >> 32U);
  for (int round = 0; round < kDropoutRounds; ++round) {
    const V k0 = hn::Set(d64, key0);
    const V k1 = hn::Set(d64, key1);
    for (V* c : {a, b}) {
      const V product0 = hn::MulEven(low(c[0]), multiplier0);
      const V product1 = hn::MulEven(low(c[2]), multiplier1);
      c[0] = hn::Xor3(hn::ShiftRight<32>(product1), c[1], k0);
      c[1] = product1;
      c[2] = hn::Xor3(hn::ShiftRight<32>(product0), c[3], k1);
      c[3] = product0;
    }
    key0 += 0x9E3779B9U;
    key1 += 0xBB67AE85U;
  }
  DropoutWords<D> words;
  for (int w = 0; w < 4; ++w) {
    words.word[w] = hn::OddEven(low(hn::ShiftLeft<32>(b[w])), low(a[w]));
  }
  return words;
}

// The lanes whose decision `lane` (0 … 7) of the block is "keep". `threshold` is the dropout's,
// shifted up by 16: comparing whole words spares the masking.
template <int lane, class D>
HWY_INLINE hn::Mask<D> kept_lanes(D /*d*/, const DropoutWords<D>& words, hn::Vec<D> threshold) {
  const auto word = words.word[lane / 2];
  return hn::Not(hn::Lt(lane % 2 == 0 ? hn::ShiftLeft<16>(word) : word, threshold));
}

// keeps(dropout, row_key, 128·group + i) for i = 0 … 127: bit i%8 of byte i/8. Writes 16 bytes;
// the array is a little longer because Highway may read masks by eight bytes.
inline constexpr std::size_t kDropoutGroupBytes = 24;

HWY_INLINE void dropout_group_bits(const Dropout& dropout, std::uint64_t row_key,
                                   std::uint32_t group, std::uint8_t* HWY_RESTRICT bits) {
  const hn::CappedTag<std::uint32_t, 16> d;
  constexpr std::size_t kLanes = hn::MaxLanes(d);
  const auto threshold = hn::Set(d, dropout.threshold << 16U);
  std::uint8_t stored[8];  // StoreMaskBits may write up to eight bytes
  for (std::size_t i = 0; i < 16; i += kLanes) {
    const auto words =
        dropout_words(d, dropout, row_key, group * 16 + static_cast<std::uint32_t>(i), 0);
    const auto put = [&](std::size_t lane, hn::Mask<decltype(d)> mask) HWY_ATTR {
      hn::StoreMaskBits(d, mask, stored);
      std::uint8_t* place = bits + 2 * lane + i / 8;
      if constexpr (kLanes == 16) {
        place[0] = stored[0];
        place[1] = stored[1];
      } else if constexpr (kLanes == 8) {
        place[0] = stored[0];
      } else {
        place[0] = static_cast<std::uint8_t>(i % 8 == 0 ? stored[0] : place[0] | stored[0] << 4U);
      }
    };
    put(0, kept_lanes<0>(d, words, threshold));
    put(1, kept_lanes<1>(d, words, threshold));
    put(2, kept_lanes<2>(d, words, threshold));
    put(3, kept_lanes<3>(d, words, threshold));
    put(4, kept_lanes<4>(d, words, threshold));
    put(5, kept_lanes<5>(d, words, threshold));
    put(6, kept_lanes<6>(d, words, threshold));
    put(7, kept_lanes<7>(d, words, threshold));
  }
}

// The bits of channels [channel, channel + Lanes(d)) as a mask of vectors like d (32-bit lanes).
// `channel` is a multiple of Lanes(d).
template <class D>
HWY_INLINE hn::Mask<D> keep_mask(D d, const std::uint8_t* HWY_RESTRICT bits, std::int64_t channel) {
  if constexpr (hn::MaxLanes(D()) >= 8) {
    return hn::LoadMaskBits(d, bits + channel / 8);
  } else {
    const auto byte = static_cast<std::uint8_t>(bits[channel / 8] >> (channel % 8));
    const std::uint8_t padded[8] = {byte};
    return hn::LoadMaskBits(d, padded);
  }
}

// keeps_weight(dropout, query_key, first + i, 8·part + h) for the sixteen key positions
// i = 0 … 15: bit h of byte i.
HWY_INLINE void dropout_weight_bits(const Dropout& dropout, std::uint64_t query_key,
                                    std::int64_t first, std::uint32_t part,
                                    std::uint8_t* HWY_RESTRICT bytes) {
  const hn::CappedTag<std::uint32_t, 16> d;
  const hn::Rebind<std::uint8_t, decltype(d)> d8;
  constexpr std::size_t kLanes = hn::MaxLanes(d);
  const auto threshold = hn::Set(d, dropout.threshold << 16U);
  for (std::size_t i = 0; i < 16; i += kLanes) {
    const auto words =
        dropout_words(d, dropout, query_key,
                      static_cast<std::uint32_t>(first) + static_cast<std::uint32_t>(i), part);
    auto heads = hn::IfThenElseZero(kept_lanes<0>(d, words, threshold), hn::Set(d, 1U));
    const auto also = [&](hn::Mask<decltype(d)> mask, std::uint32_t bit) HWY_ATTR {
      heads = hn::Or(heads, hn::IfThenElseZero(mask, hn::Set(d, bit)));
    };
    also(kept_lanes<1>(d, words, threshold), 2);
    also(kept_lanes<2>(d, words, threshold), 4);
    also(kept_lanes<3>(d, words, threshold), 8);
    also(kept_lanes<4>(d, words, threshold), 16);
    also(kept_lanes<5>(d, words, threshold), 32);
    also(kept_lanes<6>(d, words, threshold), 64);
    also(kept_lanes<7>(d, words, threshold), 128);
    hn::StoreU(hn::TruncateTo(d8, heads), d8, bytes + i);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace yona
HWY_AFTER_NAMESPACE();

#endif  // include guard of one target
