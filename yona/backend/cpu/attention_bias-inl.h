// The additive bias of attention by clipped distance, and its gradient, once per instruction set.
//
// In a tile a lane is a query, so along the lanes the distance key - query goes down by one: the
// biases of a head are laid out once per sentence by that reversed distance, and a row of a tile
// then takes neighbouring ones. The gradient is summed in the same layout, unclipped.

#if defined(YONA_BACKEND_CPU_ATTENTION_BIAS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef YONA_BACKEND_CPU_ATTENTION_BIAS_INL_H_
#undef YONA_BACKEND_CPU_ATTENTION_BIAS_INL_H_
#else
#define YONA_BACKEND_CPU_ATTENTION_BIAS_INL_H_
#endif

#include "yona/backend/cpu/attention_pack-inl.h"
#include "yona/backend/cpu/attention_tile.h"

HWY_BEFORE_NAMESPACE();
namespace yona::cpu::HWY_NAMESPACE {

// by_distance[query - key + keys - 1] = scale · bias[clip(key - position(query))]
inline void expand_bias(const View& bias, std::int64_t head, const AttentionSentence& sentence,
                        float scale, float* HWY_RESTRICT by_distance) {
  const float* from = bias.row<float>(head);
  const std::int64_t reach = bias.cols / 2;
  for (std::int64_t index = 0; index < bias_distances(sentence); ++index) {
    const std::int64_t distance = bias_distance(sentence, index);
    by_distance[index] = scale * from[std::clamp(distance, -reach, reach) + reach];
  }
}

inline std::int64_t first_distance(const AttentionTile& tile, std::int64_t key) {
  return tile.first_query - (tile.first_key + key) + tile.sentence->keys - 1;
}

HWY_INLINE void add_bias(const AttentionTile& tile, const float* HWY_RESTRICT by_distance,
                         std::int64_t width, float* HWY_RESTRICT scores) {
  const Floats d;
  for (std::int64_t key = 0; key < tile.keys; ++key, scores += width) {
    const float* HWY_RESTRICT bias = by_distance + first_distance(tile, key);
    for (std::int64_t lane = 0; lane < width; lane += kLanes) {
      hn::Store(hn::Add(hn::Load(d, scores + lane), hn::LoadU(d, bias + lane)), d, scores + lane);
    }
  }
}

HWY_INLINE void add_bias_gradient(const AttentionTile& tile, const float* HWY_RESTRICT gradients,
                                  std::int64_t width, float* HWY_RESTRICT by_distance) {
  const Floats d;
  for (std::int64_t key = 0; key < tile.keys; ++key, gradients += width) {
    float* HWY_RESTRICT sums = by_distance + first_distance(tile, key);
    for (std::int64_t lane = 0; lane < tile.queries; lane += kLanes) {
      const auto real =
          hn::FirstN(d, static_cast<std::size_t>(std::min(tile.queries - lane, kLanes)));
      const Vector gradient = hn::IfThenElseZero(real, hn::Load(d, gradients + lane));
      hn::StoreU(hn::Add(hn::LoadU(d, sums + lane), gradient), d, sums + lane);
    }
  }
}

}  // namespace yona::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
