// Scaled dot-product attention on the CPU, forward: exact, tiled, with an online softmax (Milakov
// and Gimelshein 2018; Dao et al. 2022), so that memory is linear in the tokens.
//
// A unit of work is up to 64 queries of one sentence for up to eight heads. Per head its queries
// are packed transposed, once; the keys come in tiles of 64. The scores of a tile are transposed,
// a row per key and a lane per query: see attention_softmax-inl.h.

#include <cmath>
#include <limits>

#include "yona/backend/cpu/attention_tile.h"
#include "yona/backend/cpu/scratch.h"
#include "yona/backend/cpu/targets.h"
#include "yona/backend/registration.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "yona/backend/cpu/attention.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "yona/backend/cpu/attention_bias-inl.h"
#include "yona/backend/cpu/attention_dropout-inl.h"
#include "yona/backend/cpu/attention_pack-inl.h"
#include "yona/backend/cpu/attention_product-inl.h"
#include "yona/backend/cpu/attention_softmax-inl.h"

HWY_BEFORE_NAMESPACE();
namespace yona::cpu::HWY_NAMESPACE {

struct ForwardScratch {
  Scratch<float> queries, scores, values, out, state, bias;
  Scratch<std::uint8_t> kept;
};

// The queries of a unit, for one head.
struct HeadQueries {
  const AttentionArgs& args;
  const AttentionSentence& sentence;
  std::int64_t first = 0, count = 0;
  std::int64_t seen = 0;  // by the last of them
  std::int64_t head = 0;
  const std::uint8_t* kept = nullptr;
};

// scores[key][query] = k · q, in units of log 2
HWY_INLINE void score_tile(const HeadQueries& unit, const AttentionTile& tile, const float* queries,
                           float* scores) {
  const AttentionArgs& args = unit.args;
  const std::int64_t width = round_up(tile.queries);
  const HeadRows keys =
      head_rows(args.k, unit.sentence.first_key + tile.first_key, tile.keys, unit.head, args.d_k);
  const Product product{keys.data, keys.stride, 1, queries, width, scores, width, false};
  multiply(product, tile.keys, width / kLanes, [&](std::int64_t begin, std::int64_t /*end*/) {
    return ProductRange{0, args.d_k, tile.first_seeing(begin) / kLanes};
  });
}

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
                        .accumulate = tile.first_key != 0};
  multiply(product, tile.queries, out.columns / kLanes,
           [&](std::int64_t /*begin*/, std::int64_t end) {
             return ProductRange{0, tile.visible(end - 1), 0};
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
    args.lse.row<float>(unit.sentence.first_query + unit.first + query)[unit.head] =
        state.largest[query];
  }
}

HWY_INLINE void attend_tile(const HeadQueries& unit, const AttentionTile& tile,
                            const SoftmaxState& state, const HeadRows& out,
                            ForwardScratch& scratch) {
  const AttentionArgs& args = unit.args;
  const std::int64_t width = round_up(unit.count);
  float* scores = scratch.scores.get(static_cast<std::size_t>(kTileKeys * width));
  score_tile(unit, tile, scratch.queries.get(0), scores);
  if (args.bias) {
    add_bias(tile, scratch.bias.get(0), width, scores);
  }
  if (unit.kept != nullptr) {
    const KeptWeights kept{unit.kept + tile.first_key * width, std::int32_t{1} << (unit.head % 8)};
    softmax_tile<true>(tile, scores, width, kept, state);
  } else {
    softmax_tile<false>(tile, scores, width, {}, state);
  }
  if (tile.first_key != 0) {
    scale_rows(state.rescale, out);
  }
  const HeadRows values =
      head_rows(args.v, unit.sentence.first_key + tile.first_key, tile.keys, unit.head, args.d_v);
  sum_values(tile, scores, padded_rows(values, scratch.values), out);
}

void attend_head(const HeadQueries& unit, ForwardScratch& scratch) {
  const AttentionArgs& args = unit.args;
  const std::int64_t first_row = unit.sentence.first_query + unit.first;
  const std::int64_t width = round_up(unit.count);
  float* numbers = scratch.state.get(static_cast<std::size_t>(3 * width));
  const SoftmaxState state{numbers, numbers + width, numbers + 2 * width};
  std::fill_n(state.largest, width, kNoScore);
  std::fill_n(state.sum, width, 0.0F);
  pack_transposed(head_rows(args.q, first_row, unit.count, unit.head, args.d_k),
                  args.scale * kLog2E,
                  scratch.queries.get(static_cast<std::size_t>(args.d_k * width)));
  if (args.bias) {
    const std::int64_t distances = bias_distances(unit.sentence) + kLanes;
    expand_bias(args.bias, unit.head, unit.sentence, kLog2E,
                scratch.bias.get(static_cast<std::size_t>(distances)));
  }
  const HeadRows to = head_rows(args.out, first_row, unit.count, unit.head, args.d_v);
  HeadRows out = to;
  if (!whole_vectors(to)) {
    out.columns = out.stride = round_up(args.d_v);
    out.data = scratch.out.get(static_cast<std::size_t>(unit.count * out.stride));
  }
  if (unit.seen == 0) {
    for (std::int64_t query = 0; query < unit.count; ++query) {
      std::fill_n(out.data + query * out.stride, out.columns, 0.0F);
    }
  }
  const EvenParts parts(unit.seen, kTileKeys);
  for (std::int64_t part = 0; part < parts.count(); ++part) {
    const std::int64_t first_key = parts.begin(part);
    const AttentionTile tile{&unit.sentence, unit.first, unit.count, first_key,
                             parts.begin(part + 1) - first_key};
    attend_tile(unit, tile, state, out, scratch);
  }
  finish(unit, state, out);
  if (!whole_vectors(to)) {
    unpad_rows(out, false, to);
  }
}

void attend(const AttentionArgs& args, const AttentionUnit& unit) {
  static thread_local ForwardScratch scratch;
  const AttentionSentence sentence(args, unit.sentence);
  const std::int64_t count = unit.query_end - unit.query_begin;
  if (count == 0) {
    return;
  }
  const std::int64_t seen = sentence.visible(unit.query_end - 1);
  std::uint8_t* kept = nullptr;
  if (args.dropout) {
    kept = scratch.kept.get(static_cast<std::size_t>(seen * round_up(count)));
    keep_weights(args.dropout, static_cast<std::uint32_t>(unit.head_begin / 8),
                 args.q_keys + sentence.first_query + unit.query_begin, count, seen, kept);
  }
  for (std::int64_t head = unit.head_begin; head < unit.head_end; ++head) {
    attend_head({args, sentence, unit.query_begin, count, seen, head, kept}, scratch);
  }
}

}  // namespace yona::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace yona::cpu {

namespace {

HWY_EXPORT(attend);

void attention(const AttentionArgs& args, Exec& exec) {
  if (args.q.dtype != DType::f32 || args.weights) {
    reference_kernels().attention.function()(args, exec);
    return;
  }
  const std::vector<AttentionUnit>& units = attention_units(args, kTileQueries);
  const auto attend_unit = HWY_DYNAMIC_DISPATCH(attend);
  exec.pool->run(static_cast<std::int64_t>(units.size()), [&](std::int64_t index) {
    attend_unit(args, units[static_cast<std::size_t>(index)]);
  });
}

const Registration registration(BackendKind::cpu,
                                [](Kernels& table) { table.attention = attention; });

}  // namespace

}  // namespace yona::cpu

#endif
