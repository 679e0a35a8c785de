// The softmax of a tile of scores and its backward pass, once per instruction set.
//
// Tiles are transposed: a row holds one key, a lane one query. So maxima and sums over keys are
// plain vector operations, without a horizontal step. Scores come in units of log 2 (q was packed
// with scale · log₂e), so that exp is 2^x.

#if defined(YONA_BACKEND_CPU_ATTENTION_SOFTMAX_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef YONA_BACKEND_CPU_ATTENTION_SOFTMAX_INL_H_
#undef YONA_BACKEND_CPU_ATTENTION_SOFTMAX_INL_H_
#else
#define YONA_BACKEND_CPU_ATTENTION_SOFTMAX_INL_H_
#endif

#include <hwy/contrib/math/math-inl.h>

#include "yona/backend/cpu/attention_pack-inl.h"
#include "yona/backend/cpu/attention_tile.h"

HWY_BEFORE_NAMESPACE();
namespace yona::cpu::HWY_NAMESPACE {

inline constexpr float kLog2E = 1.44269504F;
inline constexpr float kLn2 = 0.693147181F;

// Below every score; finite, so that differences of maxima are never NaN.
inline constexpr float kNoScore = -1e38F;

// 2^x for x ≤ 127, within 1.5 units in the last place; exactly 1 at 0, 0 below -126; NaN stays.
// Adding 1.5 · 2^23 leaves round(x) in the low bits: it becomes the exponent. The polynomial is the
// minimax one for 2^r, |r| ≤ ½, with a constant of 1 (relative error 2.6e-9).
HWY_INLINE Vector fast_exp2(Vector x) {
  const Floats d;
  const hn::RebindToSigned<Floats> di;
  const Vector magic = hn::Set(d, 12582912.0F);
  const Vector shifted = hn::Add(x, magic);
  const Vector r = hn::Sub(x, hn::Sub(shifted, magic));
  Vector p = hn::Set(d, 1.559467759e-04F);
  p = hn::MulAdd(p, r, hn::Set(d, 1.340664391e-03F));
  p = hn::MulAdd(p, r, hn::Set(d, 9.617692975e-03F));
  p = hn::MulAdd(p, r, hn::Set(d, 5.550310551e-02F));
  p = hn::MulAdd(p, r, hn::Set(d, 2.402265278e-01F));
  p = hn::MulAdd(p, r, hn::Set(d, 6.931472150e-01F));
  p = hn::MulAdd(p, r, hn::Set(d, 1.0F));
  const auto exponent = hn::ShiftLeft<23>(hn::BitCast(di, shifted));
  const Vector result = hn::BitCast(d, hn::Add(hn::BitCast(di, p), exponent));
  return hn::IfThenZeroElse(hn::Lt(x, hn::Set(d, -126.0F)), result);
}

// Which weights of a tile dropout keeps: a byte per weight with a bit per head; see
// attention_dropout-inl.h. Without dropout, `bytes` is null.
struct KeptWeights {
  const std::uint8_t* bytes = nullptr;
  std::int32_t bit = 0;
};

inline KeptWeights kept_weights(const HeadQueries& unit, const AttentionTile& tile) {
  return {unit.kept + tile.first_key * round_up(tile.queries), std::int32_t{1} << (unit.head % 8)};
}

HWY_INLINE hn::Mask<Floats> kept_queries(const KeptWeights& kept, std::int64_t index) {
  const Floats d;
  const hn::RebindToSigned<Floats> di;
  const hn::Rebind<std::uint8_t, Floats> d8;
  const auto bytes = hn::PromoteTo(di, hn::LoadU(d8, kept.bytes + index));
  return hn::RebindMask(d, hn::TestBit(bytes, hn::Set(di, kept.bit)));
}

// For one vector of queries of a tile: the keys in [whole, full) are seen by all its lanes, the
// others in [begin, seen) by some, the rest by none.
struct SeenKeys {
  std::int64_t begin = 0, whole = 0, full = 0, seen = 0;

  SeenKeys(const AttentionTile& tile, std::int64_t lane) {
    const std::int64_t last = std::min(lane + kLanes, tile.queries) - 1;
    begin = tile.first_visible(lane);
    whole = tile.first_visible(last);
    full = tile.visible(lane);
    seen = tile.visible(last);
    if (whole >= full) {
      whole = full = seen;
    }
  }
  bool all_see(std::int64_t key) const { return key >= whole && key < full; }
};

HWY_INLINE hn::Mask<Floats> seeing_queries(const AttentionTile& tile, std::int64_t lane,
                                           std::int64_t key) {
  const Floats d;
  const Vector lanes = hn::Iota(d, static_cast<float>(lane));
  const auto first = static_cast<float>(tile.first_seeing(key));
  const auto end = static_cast<float>(tile.seeing_end(key));
  return hn::And(hn::Ge(lanes, hn::Set(d, first)), hn::Lt(lanes, hn::Set(d, end)));
}

HWY_INLINE Vector largest_score(const AttentionTile& tile, std::int64_t lane, const SeenKeys& keys,
                                const float* HWY_RESTRICT column, std::int64_t width) {
  const Floats d;
  const Vector none = hn::Set(d, kNoScore);
  Vector a = none;
  Vector b = none;
  for (std::int64_t key = keys.begin; key < keys.whole; ++key) {
    const auto seeing = seeing_queries(tile, lane, key);
    a = hn::Max(a, hn::IfThenElse(seeing, hn::Load(d, column + key * width), none));
  }
  std::int64_t key = keys.whole;
  for (; key + 2 <= keys.full; key += 2) {
    a = hn::Max(a, hn::Load(d, column + key * width));
    b = hn::Max(b, hn::Load(d, column + (key + 1) * width));
  }
  if (key < keys.full) {
    a = hn::Max(a, hn::Load(d, column + key * width));
  }
  for (key = keys.full; key < keys.seen; ++key) {
    const auto seeing = seeing_queries(tile, lane, key);
    b = hn::Max(b, hn::IfThenElse(seeing, hn::Load(d, column + key * width), none));
  }
  return hn::Max(a, b);
}

// Per query: the largest score, the sum of 2^(score - largest), and what the sums of the tiles
// before must be multiplied with since the largest changed.
struct SoftmaxState {
  float* largest = nullptr;
  float* sum = nullptr;
  float* rescale = nullptr;
};

// scores ← dropped 2^(scores - largest); the state goes on from the tiles before.
template <bool kDropout>
HWY_INLINE void softmax_tile(const AttentionTile& tile, float* HWY_RESTRICT scores,
                             std::int64_t width, const KeptWeights& kept,
                             const SoftmaxState& state) {
  const Floats d;
  for (std::int64_t lane = 0; lane < width; lane += kLanes) {
    const SeenKeys keys(tile, lane);
    float* HWY_RESTRICT column = scores + lane;
    const Vector before = hn::Load(d, state.largest + lane);
    const Vector largest = hn::Max(before, largest_score(tile, lane, keys, column, width));
    const Vector rescale = fast_exp2(hn::Sub(before, largest));
    Vector sum = hn::Mul(rescale, hn::Load(d, state.sum + lane));
    for (std::int64_t key = 0; key < keys.begin; ++key) {
      hn::Store(hn::Zero(d), d, column + key * width);
    }
    for (std::int64_t key = keys.begin; key < keys.seen; ++key) {
      Vector p = fast_exp2(hn::Sub(hn::Load(d, column + key * width), largest));
      if (!keys.all_see(key)) {
        p = hn::IfThenElseZero(seeing_queries(tile, lane, key), p);
      }
      sum = hn::Add(sum, p);
      if constexpr (kDropout) {
        p = hn::IfThenElseZero(kept_queries(kept, key * width + lane), p);
      }
      hn::Store(p, d, column + key * width);
    }
    for (std::int64_t key = keys.seen; key < tile.keys; ++key) {
      hn::Store(hn::Zero(d), d, column + key * width);
    }
    hn::Store(largest, d, state.largest + lane);
    hn::Store(sum, d, state.sum + lane);
    hn::Store(rescale, d, state.rescale + lane);
  }
}

struct SoftmaxGradient {
  const float* log_sum = nullptr;  // per query, in units of log 2
  const float* delta = nullptr;    // per query
  float scale = 1.0F;              // of the scores
  float dropout_scale = 1.0F;
};

// With p = 2^(scores - log_sum), m what dropout multiplies with, and `gradients` = dout · v:
//   scores ← m p;  gradients ← scale · p (m gradients - delta)
template <bool kDropout>
HWY_INLINE void softmax_backward_tile(const AttentionTile& tile, float* HWY_RESTRICT scores,
                                      float* HWY_RESTRICT gradients, std::int64_t width,
                                      const KeptWeights& kept, const SoftmaxGradient& softmax) {
  const Floats d;
  const Vector scale = hn::Set(d, softmax.scale);
  const Vector dropout_scale = hn::Set(d, softmax.dropout_scale);
  for (std::int64_t lane = 0; lane < width; lane += kLanes) {
    const SeenKeys keys(tile, lane);
    const Vector log_sum = hn::Load(d, softmax.log_sum + lane);
    const Vector delta = hn::Load(d, softmax.delta + lane);
    for (std::int64_t key = 0; key < keys.begin; ++key) {
      hn::Store(hn::Zero(d), d, scores + key * width + lane);
      hn::Store(hn::Zero(d), d, gradients + key * width + lane);
    }
    for (std::int64_t key = keys.begin; key < keys.seen; ++key) {
      const std::int64_t index = key * width + lane;
      Vector p = fast_exp2(hn::Sub(hn::Load(d, scores + index), log_sum));
      if (!keys.all_see(key)) {
        p = hn::IfThenElseZero(seeing_queries(tile, lane, key), p);
      }
      Vector factor = hn::Load(d, gradients + index);
      if constexpr (kDropout) {
        const Vector m = hn::IfThenElseZero(kept_queries(kept, index), dropout_scale);
        factor = hn::MulSub(m, factor, delta);
        hn::Store(hn::Mul(m, p), d, scores + index);
      } else {
        factor = hn::Sub(factor, delta);
        hn::Store(p, d, scores + index);
      }
      hn::Store(hn::Mul(hn::Mul(scale, p), factor), d, gradients + index);
    }
    for (std::int64_t key = keys.seen; key < tile.keys; ++key) {
      hn::Store(hn::Zero(d), d, scores + key * width + lane);
      hn::Store(hn::Zero(d), d, gradients + key * width + lane);
    }
  }
}

}  // namespace yona::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
