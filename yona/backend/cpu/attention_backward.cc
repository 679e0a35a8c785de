// Scaled dot-product attention on the CPU, backward: the weights are computed again from lse, tile
// by tile, so that memory is linear in the tokens.
//
// With p the weights, m what dropout kept of them (its scale is packed into dout):
//   dv = (m p)ᵀ dout;  dp = m (dout vᵀ);  ds = p (dp - delta), delta = Σ_j p dp = dout · out
//   dq = scale · ds k;  dk = scale · dsᵀ q;  dbias = ds, summed by distance
// A unit of work is one sentence for up to eight heads: all its gradients belong to it alone.

#include <cmath>
#include <limits>

#include "yona/backend/cpu/attention_tile.h"
#include "yona/backend/cpu/scratch.h"
#include "yona/backend/cpu/targets.h"
#include "yona/backend/registration.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "yona/backend/cpu/attention_backward.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "yona/backend/cpu/attention_bias-inl.h"
#include "yona/backend/cpu/attention_dropout-inl.h"
#include "yona/backend/cpu/attention_pack-inl.h"
#include "yona/backend/cpu/attention_product-inl.h"
#include "yona/backend/cpu/attention_softmax-inl.h"

HWY_BEFORE_NAMESPACE();
namespace yona::cpu::HWY_NAMESPACE {

struct BackwardScratch {
  Scratch<float> q_transposed, dout_transposed;
  Scratch<float> q, k, dout, sums;  // padded rows, where a head is no whole number of vectors
  Scratch<float> weights, gradients;
  Scratch<float> log_sum, delta, bias, dbias;
  Scratch<std::uint8_t> kept;
};

// Some queries of a sentence, for one head.
struct BackwardQueries {
  const AttentionBackwardArgs& args;
  const AttentionSentence& sentence;
  std::int64_t first = 0, count = 0;
  std::int64_t seen = 0;     // keys that the last of them sees
  std::int64_t touched = 0;  // keys whose gradient has parts from earlier queries
  std::int64_t head = 0;
  const std::uint8_t* kept = nullptr;
  const float* bias = nullptr;  // by distance, or none
  float* dbias = nullptr;
};

// log_sum = lse in units of log 2;  delta = dout · out
HWY_INLINE void load_statistics(const BackwardQueries& unit, BackwardScratch& scratch) {
  const AttentionArgs& forward = unit.args.forward;
  const Floats d;
  const std::int64_t width = round_up(unit.count);
  float* log_sum = scratch.log_sum.get(static_cast<std::size_t>(width));
  float* delta = scratch.delta.get(static_cast<std::size_t>(width));
  std::fill_n(log_sum, width, 0.0F);
  std::fill_n(delta, width, 0.0F);
  for (std::int64_t query = 0; query < unit.count; ++query) {
    const std::int64_t row = unit.sentence.first_query + unit.first + query;
    log_sum[query] = kLog2E * forward.lse.row<float>(row)[unit.head];
    const float* HWY_RESTRICT out = forward.out.row<float>(row) + unit.head * forward.d_v;
    const float* HWY_RESTRICT dout = unit.args.dout.row<float>(row) + unit.head * forward.d_v;
    Vector sum = hn::Zero(d);
    for_each_vector(d, forward.d_v, [&](std::int64_t column, auto part) YONA_INLINE_LAMBDA {
      sum = hn::MulAdd(load(d, out + column, part), load(d, dout + column, part), sum);
    });
    delta[query] = hn::GetLane(hn::SumOfLanes(d, sum));
  }
}

// tile[key][query] = rows · columns, for keys against queries or values against dout.
HWY_INLINE void score_tile(const AttentionTile& tile, const HeadRows& rows, const float* columns,
                           float* to) {
  const std::int64_t width = round_up(tile.queries);
  const Product product{rows.data, rows.stride, 1, columns, width, to, width, false};
  multiply(product, tile.keys, width / kLanes, [&](std::int64_t begin, std::int64_t /*end*/) {
    return ProductRange{0, rows.columns, tile.first_seeing(begin) / kLanes};
  });
}

// gradient[key] (+)= Σ_query tile[key][query] · rows[query], for dk from ds and q, and dv from the
// weights and dout. Keys before `touched` have a gradient already.
HWY_INLINE void add_to_keys(const AttentionTile& tile, const float* scores, const HeadRows& rows,
                            std::int64_t touched, const HeadRows& gradient,
                            Scratch<float>& scratch) {
  const std::int64_t width = round_up(tile.queries);
  const std::int64_t old = std::clamp<std::int64_t>(touched - tile.first_key, 0, tile.keys);
  for (const bool accumulate : {true, false}) {
    const std::int64_t first = accumulate ? 0 : old;
    const HeadRows to{gradient.data + first * gradient.stride, gradient.stride,
                      accumulate ? old : tile.keys - old, gradient.columns};
    const Product product{.a = scores + first * width,
                          .a_row = width,
                          .a_column = 1,
                          .b = rows.data,
                          .b_row = rows.stride};
    multiply_into(product, to, accumulate, scratch, [&](std::int64_t begin, std::int64_t /*end*/) {
      return ProductRange{tile.first_seeing(first + begin), tile.queries, 0};
    });
  }
}

HWY_INLINE void backward_tile(const BackwardQueries& unit, const AttentionTile& tile,
                              const HeadRows& q, const HeadRows& dout, const HeadRows& dq,
                              BackwardScratch& scratch) {
  const AttentionBackwardArgs& args = unit.args;
  const AttentionArgs& forward = args.forward;
  const std::int64_t width = round_up(tile.queries);
  const std::int64_t first_row = unit.sentence.first_key + tile.first_key;
  const HeadRows k = head_rows(forward.k, first_row, tile.keys, unit.head, forward.d_k);
  const HeadRows v = head_rows(forward.v, first_row, tile.keys, unit.head, forward.d_v);
  float* weights = scratch.weights.get(static_cast<std::size_t>(kTileKeys * width));
  float* gradients = scratch.gradients.get(static_cast<std::size_t>(kTileKeys * width));

  score_tile(tile, k, scratch.q_transposed.get(0), weights);
  score_tile(tile, v, scratch.dout_transposed.get(0), gradients);
  if (unit.bias != nullptr) {
    add_bias(tile, unit.bias, width, weights);
  }
  const SoftmaxGradient softmax{scratch.log_sum.get(0), scratch.delta.get(0), forward.scale,
                                forward.dropout.scale};
  if (unit.kept != nullptr) {
    const KeptWeights kept{unit.kept + tile.first_key * width, std::int32_t{1} << (unit.head % 8)};
    softmax_backward_tile<true>(tile, weights, gradients, width, kept, softmax);
  } else {
    softmax_backward_tile<false>(tile, weights, gradients, width, {}, softmax);
  }
  if (unit.dbias != nullptr) {
    add_bias_gradient(tile, gradients, width, unit.dbias);
  }
  constexpr auto kAll = std::numeric_limits<std::int64_t>::max();
  add_to_keys(tile, weights, dout, args.accumulate_dv ? kAll : unit.touched,
              head_rows(args.dv, first_row, tile.keys, unit.head, forward.d_v), scratch.sums);
  add_to_keys(tile, gradients, q, args.accumulate_dk ? kAll : unit.touched,
              head_rows(args.dk, first_row, tile.keys, unit.head, forward.d_k), scratch.sums);
  const HeadRows k_padded = padded_rows(k, scratch.k);
  const Product product{
      .a = gradients, .a_row = 1, .a_column = width, .b = k_padded.data, .b_row = k_padded.stride};
  multiply_into(product, dq, args.accumulate_dq || tile.first_key != 0, scratch.sums,
                [&](std::int64_t /*begin*/, std::int64_t end) {
                  return ProductRange{0, tile.visible(end - 1), 0};
                });
}

HWY_INLINE void backward_queries(const BackwardQueries& unit, BackwardScratch& scratch) {
  const AttentionBackwardArgs& args = unit.args;
  const AttentionArgs& forward = args.forward;
  const std::int64_t first_row = unit.sentence.first_query + unit.first;
  const std::int64_t width = round_up(unit.count);
  const HeadRows q = head_rows(forward.q, first_row, unit.count, unit.head, forward.d_k);
  const HeadRows dout = head_rows(args.dout, first_row, unit.count, unit.head, forward.d_v);
  const HeadRows dq = head_rows(args.dq, first_row, unit.count, unit.head, forward.d_k);
  pack_transposed(q, forward.scale * kLog2E,
                  scratch.q_transposed.get(static_cast<std::size_t>(forward.d_k * width)));
  pack_transposed(dout, 1.0F,
                  scratch.dout_transposed.get(static_cast<std::size_t>(forward.d_v * width)));
  load_statistics(unit, scratch);
  const HeadRows q_padded = padded_rows(q, scratch.q);
  const HeadRows dout_padded = padded_rows(dout, scratch.dout);
  for (std::int64_t query = 0; query < unit.count && unit.seen == 0 && !args.accumulate_dq;
       ++query) {
    std::fill_n(dq.data + query * dq.stride, dq.columns, 0.0F);
  }
  const EvenParts parts(unit.seen, kTileKeys);
  for (std::int64_t part = 0; part < parts.count(); ++part) {
    const std::int64_t first_key = parts.begin(part);
    const AttentionTile tile{&unit.sentence, unit.first, unit.count, first_key,
                             parts.begin(part + 1) - first_key};
    backward_tile(unit, tile, q_padded, dout_padded, dq, scratch);
  }
}

// Keys that no query sees have a gradient of zero.
void clear_keys(const AttentionBackwardArgs& args, const AttentionSentence& sentence,
                const AttentionUnit& unit, std::int64_t first_key) {
  for (std::int64_t key = first_key; key < sentence.keys; ++key) {
    const std::int64_t row = sentence.first_key + key;
    const std::int64_t heads = unit.head_end - unit.head_begin;
    if (!args.accumulate_dk) {
      std::fill_n(args.dk.row<float>(row) + unit.head_begin * args.forward.d_k,
                  heads * args.forward.d_k, 0.0F);
    }
    if (!args.accumulate_dv) {
      std::fill_n(args.dv.row<float>(row) + unit.head_begin * args.forward.d_v,
                  heads * args.forward.d_v, 0.0F);
    }
  }
}

// `dbias` gets the sums by distance of the unit's heads, bias_distances() apart; null for none.
void attend_backward(const AttentionBackwardArgs& args, const AttentionUnit& unit, float* dbias) {
  static thread_local BackwardScratch scratch;
  const AttentionArgs& forward = args.forward;
  const AttentionSentence sentence(forward, unit.sentence);
  const std::int64_t heads = unit.head_end - unit.head_begin;
  const std::int64_t distances = bias_distances(sentence);
  const std::int64_t padded = distances + kLanes;  // rows of a tile may end beyond the last query
  float* bias = forward.bias ? scratch.bias.get(heads * padded) : nullptr;
  float* bias_sums = dbias != nullptr ? scratch.dbias.get(heads * padded) : nullptr;
  for (std::int64_t head = 0; head < heads && bias != nullptr; ++head) {
    expand_bias(forward.bias, unit.head_begin + head, sentence, kLog2E, bias + head * padded);
  }
  if (bias_sums != nullptr) {
    std::fill_n(bias_sums, heads * padded, 0.0F);
  }

  const EvenParts parts(sentence.queries, kTileQueries);
  std::int64_t touched = 0;
  for (std::int64_t part = 0; part < parts.count(); ++part) {
    const std::int64_t first = parts.begin(part);
    const std::int64_t count = parts.begin(part + 1) - first;
    const std::int64_t seen = sentence.visible(first + count - 1);
    std::uint8_t* kept = nullptr;
    if (forward.dropout) {
      kept = scratch.kept.get(static_cast<std::size_t>(seen * round_up(count)));
      keep_weights(forward.dropout, static_cast<std::uint32_t>(unit.head_begin / 8),
                   forward.q_keys + sentence.first_query + first, count, seen, kept);
    }
    for (std::int64_t head = 0; head < heads; ++head) {
      backward_queries({args, sentence, first, count, seen, touched, unit.head_begin + head, kept,
                        bias != nullptr ? bias + head * padded : nullptr,
                        bias_sums != nullptr ? bias_sums + head * padded : nullptr},
                       scratch);
    }
    touched = seen;
  }
  clear_keys(args, sentence, unit, touched);
  for (std::int64_t head = 0; head < heads && dbias != nullptr; ++head) {
    std::copy_n(bias_sums + head * padded, distances, dbias + head * distances);
  }
}

}  // namespace yona::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace yona::cpu {

namespace {

HWY_EXPORT(attend_backward);

// Where the sums by distance of a sentence's first head lie: linear in the tokens, no table.
std::int64_t distance_offset(const AttentionArgs& args, std::int64_t sentence) {
  return (args.q_offsets[sentence] - args.q_offsets[0] + args.k_offsets[sentence] -
          args.k_offsets[0]) *
         args.heads;
}

// dbias[head][clip(distance)] += the sums of all sentences, in their order.
void add_distances(const AttentionBackwardArgs& args, std::int64_t head, const float* sums) {
  float* dbias = args.dbias.row<float>(head);
  const std::int64_t reach = args.dbias.cols / 2;
  for (std::int64_t s = 0; s < args.forward.sentences; ++s) {
    const AttentionSentence sentence(args.forward, s);
    const std::int64_t distances = bias_distances(sentence);
    const float* from = sums + distance_offset(args.forward, s) + head * distances;
    for (std::int64_t index = 0; index < distances; ++index) {
      dbias[std::clamp(bias_distance(sentence, index), -reach, reach) + reach] +=
          from[index] / args.forward.scale;
    }
  }
}

// Where q, k and v are one tensor, so are their gradients, and only the first is not added to. The
// kernel writes them in another order: so all start at zero there, and all are added to.
AttentionBackwardArgs without_aliases(AttentionBackwardArgs args) {
  const auto share = [](const View& a, const View& b) { return a.data == b.data; };
  if (share(args.dq, args.dk) || share(args.dq, args.dv) || share(args.dk, args.dv)) {
    const auto clear = [](const View& view, bool& accumulate) {
      for (std::int64_t row = 0; row < view.rows && !accumulate; ++row) {
        std::fill_n(view.row<float>(row), view.cols, 0.0F);
      }
      accumulate = true;
    };
    clear(args.dq, args.accumulate_dq);
    clear(args.dk, args.accumulate_dk);
    clear(args.dv, args.accumulate_dv);
  }
  return args;
}

void attention_backward(const AttentionBackwardArgs& given, Exec& exec) {
  if (given.forward.q.dtype != DType::f32) {
    reference_kernels().attention_backward.function()(given, exec);
    return;
  }
  const AttentionBackwardArgs args = without_aliases(given);
  const AttentionArgs& forward = args.forward;
  static thread_local Scratch<float> distance_sums;
  float* sums =
      args.dbias
          ? distance_sums.get(static_cast<std::size_t>(distance_offset(forward, forward.sentences)))
          : nullptr;
  const std::vector<AttentionUnit>& units =
      attention_units(forward, std::numeric_limits<std::int64_t>::max());
  const auto attend_unit = HWY_DYNAMIC_DISPATCH(attend_backward);
  exec.pool->run(static_cast<std::int64_t>(units.size()), [&](std::int64_t index) {
    const AttentionUnit& unit = units[static_cast<std::size_t>(index)];
    const AttentionSentence sentence(forward, unit.sentence);
    attend_unit(args, unit,
                sums == nullptr ? nullptr
                                : sums + distance_offset(forward, unit.sentence) +
                                      unit.head_begin * bias_distances(sentence));
  });
  if (sums != nullptr) {
    exec.pool->run(forward.heads, [&](std::int64_t head) { add_distances(args, head, sums); });
  }
}

const Registration registration(BackendKind::cpu, [](Kernels& table) {
  table.attention_backward = attention_backward;
});

}  // namespace

}  // namespace yona::cpu

#endif
