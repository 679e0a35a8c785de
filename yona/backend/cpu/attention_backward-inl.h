// Attention's backward pass on the CPU, whatever the scores are: the weights are computed again
// from lse, tile by tile, so that memory is linear in the tokens. Once per instruction set.
//
// With p the weights and m what dropout multiplies them with:
//   dv = (m p)ᵀ dout;  dp = m (dout vᵀ);  ds = p (dp - delta), delta = Σ_j p dp = dout · out
// and what follows from ds, the gradient of the scores, is up to a Gradients class, which is a
// Scores class (attention_scores-inl.h) and also has
//   scale(args)               a factor that ds shall have
//   add(unit, tile, ds)       adds a tile's part to the gradients of queries and keys
//   end(unit)                 after the last tile of these queries
// A unit of work is one sentence for up to eight heads, or for all that share a head of keys: all
// its gradients belong to it alone. Heads that share one add to its gradients in their order.

#if defined(YONA_BACKEND_CPU_ATTENTION_BACKWARD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef YONA_BACKEND_CPU_ATTENTION_BACKWARD_INL_H_
#undef YONA_BACKEND_CPU_ATTENTION_BACKWARD_INL_H_
#else
#define YONA_BACKEND_CPU_ATTENTION_BACKWARD_INL_H_
#endif

#include <limits>

#include "yona/backend/cpu/attention_dropout-inl.h"
#include "yona/backend/cpu/attention_scores-inl.h"

HWY_BEFORE_NAMESPACE();
namespace yona::cpu::HWY_NAMESPACE {

struct BackwardScratch {
  Scratch<float> dout_transposed;
  Scratch<float> dout, sums;  // padded rows, where a head is not a multiple of the vector width
  Scratch<float> weights, gradients, log_sum, delta;
  Scratch<std::uint8_t> kept;
};

// Some queries of a sentence, for one head.
struct BackwardQueries : HeadQueries {
  const AttentionBackwardArgs& gradients;
  std::int64_t touched = 0;  // keys whose gradient has parts from earlier queries or heads
};

// How many of a tile's keys have a gradient that is to be added to.
inline std::int64_t added_keys(const BackwardQueries& unit, const AttentionTile& tile,
                               bool accumulate) {
  return accumulate ? tile.keys
                    : std::clamp<std::int64_t>(unit.touched - tile.first_key, 0, tile.keys);
}

// log_sum = lse in units of log 2;  delta = dout · out
HWY_INLINE void load_statistics(const BackwardQueries& unit, BackwardScratch& scratch) {
  const AttentionArgs& forward = unit.args;
  const Floats d;
  const std::int64_t width = round_up(unit.count);
  float* log_sum = elements_of(scratch.log_sum, width);
  float* delta = elements_of(scratch.delta, width);
  std::fill_n(log_sum, width, 0.0F);
  std::fill_n(delta, width, 0.0F);
  for (std::int64_t query = 0; query < unit.count; ++query) {
    const std::int64_t row = unit.first_row() + query;
    log_sum[query] = kLog2E * forward.lse.row<float>(row)[unit.head];
    const float* HWY_RESTRICT out = forward.out.row<float>(row) + unit.head * forward.d_v;
    const float* HWY_RESTRICT dout = unit.gradients.dout.row<float>(row) + unit.head * forward.d_v;
    Vector sum = hn::Zero(d);
    for_each_vector(d, forward.d_v, [&](std::int64_t column, auto part) YONA_INLINE_LAMBDA {
      sum = hn::MulAdd(load(d, out + column, part), load(d, dout + column, part), sum);
    });
    delta[query] = hn::GetLane(hn::SumOfLanes(d, sum));
  }
}

// gradient[key] (+)= Σ_query tile[key][query] · rows[query], for dk from ds and q, and dv from the
// weights and dout. The first `added` keys are added to.
HWY_INLINE void add_to_keys(const AttentionTile& tile, const float* scores, const HeadRows& rows,
                            std::int64_t added, const HeadRows& gradient, Scratch<float>& scratch) {
  const std::int64_t width = round_up(tile.queries);
  for (const bool accumulate : {true, false}) {
    const std::int64_t first = accumulate ? 0 : added;
    const HeadRows to{gradient.data + first * gradient.stride, gradient.stride,
                      accumulate ? added : tile.keys - added, gradient.columns};
    const Product product{.a = scores + first * width,
                          .a_row = width,
                          .a_column = 1,
                          .b = rows.data,
                          .b_row = rows.stride};
    multiply_into(product, to, accumulate, scratch, [&](std::int64_t begin, std::int64_t end) {
      return ProductRange{tile.first_seeing(first + begin), tile.seeing_end(first + end - 1), 0};
    });
  }
}

template <class Gradients>
HWY_INLINE void backward_tile(const BackwardQueries& unit, const AttentionTile& tile,
                              const HeadRows& dout, Gradients& gradients,
                              BackwardScratch& scratch) {
  const AttentionArgs& args = unit.args;
  const std::int64_t width = round_up(tile.queries);
  float* weights = elements_of(scratch.weights, kTileKeys * width);
  float* ds = elements_of(scratch.gradients, kTileKeys * width);
  gradients.fill(unit, tile, weights);
  multiply_rows(tile, tile_values(unit, tile), scratch.dout_transposed.get(0), ds);
  const SoftmaxGradient softmax{scratch.log_sum.get(0), scratch.delta.get(0), gradients.scale(args),
                                args.dropout.scale};
  if (unit.kept != nullptr) {
    softmax_backward_tile<true>(tile, weights, ds, width, kept_weights(unit, tile), softmax);
  } else {
    softmax_backward_tile<false>(tile, weights, ds, width, {}, softmax);
  }
  add_to_keys(tile, weights, dout, added_keys(unit, tile, unit.gradients.accumulate_dv),
              head_rows(unit.gradients.dv, unit.sentence.first_key + tile.first_key, tile.keys,
                        args.kv_head(unit.head), args.d_v),
              scratch.sums);
  gradients.add(unit, tile, ds);
}

template <class Gradients>
HWY_INLINE void backward_head(const BackwardQueries& unit, Gradients& gradients,
                              BackwardScratch& scratch) {
  const AttentionArgs& args = unit.args;
  const HeadRows dout =
      head_rows(unit.gradients.dout, unit.first_row(), unit.count, unit.head, args.d_v);
  gradients.begin(unit);
  pack_transposed(dout, 1.0F,
                  elements_of(scratch.dout_transposed, args.d_v * round_up(unit.count)));
  load_statistics(unit, scratch);
  const HeadRows dout_padded = padded_rows(dout, scratch.dout);
  if (unit.ranges.empty() && !unit.gradients.accumulate_dq) {
    clear_rows(head_rows(unit.gradients.dq, unit.first_row(), unit.count, unit.head, args.d_k));
  }
  for_each_tile(unit, [&](const AttentionTile& tile) YONA_INLINE_LAMBDA {
    backward_tile(unit, tile, dout_padded, gradients, scratch);
  });
  gradients.end(unit);
}

// Keys that no query sees have a gradient of zero.
inline void clear_keys(const AttentionBackwardArgs& args, const AttentionSentence& sentence,
                       const AttentionUnit& unit, std::int64_t first_key) {
  const std::int64_t first_row = sentence.first_key + first_key;
  const std::int64_t shared = args.forward.heads_per_kv;
  for (std::int64_t head = unit.head_begin / shared; head < unit.head_end / shared; ++head) {
    if (!args.accumulate_dk) {
      clear_rows(head_rows(args.dk, first_row, sentence.keys - first_key, head, args.forward.d_k));
    }
    if (!args.accumulate_dv) {
      clear_rows(head_rows(args.dv, first_row, sentence.keys - first_key, head, args.forward.d_v));
    }
  }
}

template <class Gradients>
HWY_INLINE void backward_unit(const AttentionBackwardArgs& args, const AttentionUnit& unit,
                              Gradients& gradients, BackwardScratch& scratch) {
  const AttentionSentence sentence(args.forward, unit.sentence);
  const AttentionPattern& pattern = args.forward.pattern;
  const std::span<const std::int64_t> cuts =
      query_cuts(pattern, sentence.queries, sentence.keys, kTileQueries);
  std::int64_t touched = 0;
  if (pattern) {  // tiles leave out keys: all are added to
    clear_keys(args, sentence, unit, 0);
    touched = sentence.keys;
  }
  for (std::size_t part = 0; part + 1 < cuts.size(); ++part) {
    const std::int64_t first = cuts[part];
    const std::int64_t count = cuts[part + 1] - first;
    BackwardQueries queries{
        {args.forward, sentence, first, count, sentence.visible(first + count - 1), unit.head_begin,
         key_ranges(pattern, sentence, first, count)},
        args,
        touched};
    for (; queries.head < unit.head_end; ++queries.head) {
      if (queries.head == unit.head_begin || queries.head % kDropoutHeads == 0) {
        queries.kept = keep_weights(queries, scratch.kept);
      }
      const bool is_first = queries.head % args.forward.heads_per_kv == 0;
      queries.touched = is_first ? touched : std::max(touched, queries.seen);
      backward_head(queries, gradients, scratch);
    }
    touched = std::max(touched, queries.seen);
  }
  clear_keys(args, sentence, unit, touched);
}

}  // namespace yona::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
