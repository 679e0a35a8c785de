// Attention's forward pass on the CPU, whatever the scores are: exact, tiled, with an online
// softmax (Milakov and Gimelshein 2018; Dao et al. 2022), so that memory is linear in the tokens.
// Once per instruction set.
//
// A unit of work is up to 64 queries of one sentence for up to eight heads. Per head the queries
// are prepared once, and the keys come in tiles of 64.

#if defined(YONA_BACKEND_CPU_ATTENTION_FORWARD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef YONA_BACKEND_CPU_ATTENTION_FORWARD_INL_H_
#undef YONA_BACKEND_CPU_ATTENTION_FORWARD_INL_H_
#else
#define YONA_BACKEND_CPU_ATTENTION_FORWARD_INL_H_
#endif

#include <limits>

#include "yona/backend/cpu/attention_dropout-inl.h"
#include "yona/backend/cpu/attention_scores-inl.h"

HWY_BEFORE_NAMESPACE();
namespace yona::cpu::HWY_NAMESPACE {

struct ForwardScratch {
  Scratch<float> scores, values, out, state;
  Scratch<std::uint8_t> kept;
};

// out (+)= weights · values
HWY_INLINE void sum_values(const AttentionTile& tile, const float* weights, const HeadRows& values,
                           const HeadRows& out) {
  const Product product{.a = weights,
                        .a_row = 1,
                        .a_column = round_up(tile.queries),
                        .b = values.data,
                        .b_row = values.stride,
                        .c = out.data,
                        .c_row = out.stride,
                        .accumulate = !tile.is_first};
  multiply(product, tile.queries, out.columns / kLanes, [&](std::int64_t begin, std::int64_t end) {
    return ProductRange{tile.first_visible(begin), tile.visible(end - 1), 0};
  });
}

HWY_INLINE void scale_rows(const float* HWY_RESTRICT factors, const HeadRows& rows) {
  const Floats d;
  for (std::int64_t row = 0; row < rows.rows; ++row) {
    float* HWY_RESTRICT data = rows.data + row * rows.stride;
    const Vector factor = hn::Set(d, factors[row]);
    for (std::int64_t column = 0; column < rows.columns; column += kLanes) {
      hn::StoreU(hn::Mul(factor, hn::LoadU(d, data + column)), d, data + column);
    }
  }
}

// Divides the sums of values by the sums of weights and writes lse.
HWY_INLINE void finish(const HeadQueries& unit, const SoftmaxState& state, const HeadRows& out) {
  const AttentionArgs& args = unit.args;
  const Floats d;
  const Vector ln2 = hn::Set(d, kLn2);
  const Vector nothing = hn::Set(d, -std::numeric_limits<float>::infinity());
  const Vector dropout_scale = hn::Set(d, args.dropout.scale);
  for (std::int64_t lane = 0; lane < unit.count; lane += kLanes) {
    const Vector sum = hn::Load(d, state.sum + lane);
    const auto unseeing = hn::Eq(sum, hn::Zero(d));
    const Vector lse = hn::Mul(ln2, hn::Add(hn::Load(d, state.largest + lane), hn::Log2(d, sum)));
    hn::Store(hn::IfThenElse(unseeing, nothing, lse), d, state.largest + lane);
    hn::Store(hn::IfThenZeroElse(unseeing, hn::Div(dropout_scale, sum)), d, state.rescale + lane);
  }
  scale_rows(state.rescale, out);
  for (std::int64_t query = 0; query < unit.count; ++query) {
    args.lse.row<float>(unit.first_row() + query)[unit.head] = state.largest[query];
  }
}

template <class Scores>
HWY_INLINE void attend_tile(const HeadQueries& unit, const AttentionTile& tile, Scores& scores,
                            const SoftmaxState& state, const HeadRows& out,
                            ForwardScratch& scratch) {
  const std::int64_t width = round_up(unit.count);
  float* weights = elements_of(scratch.scores, kTileKeys * width);
  scores.fill(unit, tile, weights);
  if (unit.kept != nullptr) {
    softmax_tile<true>(tile, weights, width, kept_weights(unit, tile), state);
  } else {
    softmax_tile<false>(tile, weights, width, {}, state);
  }
  if (!tile.is_first) {
    scale_rows(state.rescale, out);
  }
  sum_values(tile, weights, padded_rows(tile_values(unit, tile), scratch.values), out);
}

template <class Scores>
HWY_INLINE void attend_head(const HeadQueries& unit, Scores& scores, ForwardScratch& scratch) {
  const AttentionArgs& args = unit.args;
  const std::int64_t width = round_up(unit.count);
  float* numbers = elements_of(scratch.state, 3 * width);
  const SoftmaxState state{numbers, numbers + width, numbers + 2 * width};
  std::fill_n(state.largest, width, kNoScore);
  std::fill_n(state.sum, width, 0.0F);
  const HeadRows to = head_rows(args.out, unit.first_row(), unit.count, unit.head, args.d_v);
  HeadRows out = to;
  if (!whole_vectors(to)) {
    out.columns = out.stride = round_up(args.d_v);
    out.data = elements_of(scratch.out, unit.count * out.stride);
  }
  if (unit.ranges.empty()) {
    clear_rows(out);
  }
  scores.begin(unit);
  for_each_tile(unit, [&](const AttentionTile& tile) YONA_INLINE_LAMBDA {
    attend_tile(unit, tile, scores, state, out, scratch);
  });
  finish(unit, state, out);
  if (!whole_vectors(to)) {
    unpad_rows(out, false, to);
  }
}

template <class Scores>
HWY_INLINE void attend_unit(const AttentionArgs& args, const AttentionUnit& unit, Scores& scores,
                            ForwardScratch& scratch) {
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
                      key_ranges(args.pattern, sentence, unit.query_begin, count)};
  queries.kept = keep_weights(queries, scratch.kept);
  for (; queries.head < unit.head_end; ++queries.head) {
    attend_head(queries, scores, scratch);
  }
}

}  // namespace yona::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
