// The weights of attention, formed in full for someone who looks inside, whatever the scores are;
// without a pattern.
// Once per instruction set.
//
// Scores come in transposed tiles, as for the forward pass; they are transposed into the rows of
// the result, and the softmax is taken there.

#if defined(YONA_BACKEND_CPU_ATTENTION_WEIGHTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef YONA_BACKEND_CPU_ATTENTION_WEIGHTS_INL_H_
#undef YONA_BACKEND_CPU_ATTENTION_WEIGHTS_INL_H_
#else
#define YONA_BACKEND_CPU_ATTENTION_WEIGHTS_INL_H_
#endif

#include "yona/backend/cpu/attention_scores-inl.h"

HWY_BEFORE_NAMESPACE();
namespace yona::cpu::HWY_NAMESPACE {

// row[0 … seen) ← softmax of scores in units of log 2; zero from there to `keys`.
HWY_INLINE void softmax_row(float* HWY_RESTRICT row, std::int64_t seen, std::int64_t keys) {
  const Floats d;
  const float largest = seen == 0 ? 0.0F : *std::max_element(row, row + seen);
  Vector sums = hn::Zero(d);
  for_each_vector(d, seen, [&](std::int64_t j, auto part) YONA_INLINE_LAMBDA {
    const Vector p = fast_exp2(hn::Sub(load(d, row + j, part), hn::Set(d, largest)));
    store(d, p, row + j, part);
    sums = hn::Add(sums, load(d, row + j, part));  // without the lanes beyond the end
  });
  const Vector inverse = hn::Set(d, 1.0F / hn::GetLane(hn::SumOfLanes(d, sums)));
  for_each_vector(d, seen, [&](std::int64_t j, auto part) YONA_INLINE_LAMBDA {
    store(d, hn::Mul(inverse, load(d, row + j, part)), row + j, part);
  });
  std::fill(row + seen, row + keys, 0.0F);
}

// `weights` is the matrix of the sentence and head, [queries, keys].
template <class Scores>
HWY_INLINE void weigh_head(const HeadQueries& unit, Scores& scores, Scratch<float>& scratch,
                           float* HWY_RESTRICT weights) {
  const std::int64_t width = round_up(unit.count);
  const std::int64_t keys = unit.sentence.keys;
  float* first_row = weights + unit.first * keys;
  scores.begin(unit);
  for_each_tile(unit, [&](const AttentionTile& tile) YONA_INLINE_LAMBDA {
    float* transposed = elements_of(scratch, kTileKeys * width);
    scores.fill(unit, tile, transposed);
    for (std::int64_t i = 0; i < unit.count; ++i) {
      for (std::int64_t j = 0; j < tile.visible(i); ++j) {
        first_row[i * keys + tile.first_key + j] = transposed[j * width + i];
      }
    }
  });
  for (std::int64_t i = 0; i < unit.count; ++i) {
    softmax_row(first_row + i * keys, unit.sentence.visible(unit.first + i), keys);
  }
}

// `weights` are the matrices of the sentence, [heads, queries, keys].
template <class Scores>
HWY_INLINE void weigh_unit(const AttentionArgs& args, const AttentionUnit& unit, Scores& scores,
                           Scratch<float>& scratch, float* weights) {
  const AttentionSentence sentence(args, unit.sentence);
  const std::int64_t count = unit.query_end - unit.query_begin;
  if (count == 0) {
    return;
  }
  HeadQueries queries{args,
                      sentence,
                      unit.query_begin,
                      count,
                      sentence.visible(unit.query_end - 1),
                      unit.head_begin,
                      key_ranges({}, sentence, unit.query_begin, count)};
  for (; queries.head < unit.head_end; ++queries.head) {
    weigh_head(queries, scores, scratch, weights + queries.head * sentence.queries * sentence.keys);
  }
}

}  // namespace yona::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
