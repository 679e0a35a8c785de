// Scaled dot-product attention on the CPU, backward: see attention_backward-inl.h. From ds,
//   dq = scale · ds k;  dk = scale · dsᵀ q;  dbias = ds, summed by distance

#include "yona/backend/cpu/attention_phases.h"
#include "yona/backend/cpu/attention_tile.h"
#include "yona/backend/cpu/targets.h"
#include "yona/backend/registration.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "yona/backend/cpu/attention_backward.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "yona/backend/cpu/attention_backward-inl.h"
#include "yona/backend/cpu/attention_scores-inl.h"

HWY_BEFORE_NAMESPACE();
namespace yona::cpu::HWY_NAMESPACE {

class DotGradients : public DotScores {
 public:
  // Starts a sentence and its heads; the gradient of the bias is summed where there is one.
  HWY_INLINE void start(const AttentionBackwardArgs& args, const AttentionUnit& unit) {
    first_head_ = unit.head_begin;
    // Rows of a tile may end beyond the last query.
    distances_ = bias_distances(AttentionSentence(args.forward, unit.sentence)) + kLanes;
    if (args.dbias) {
      const std::int64_t count = (unit.head_end - unit.head_begin) * distances_;
      std::fill_n(elements_of(dbias_, count), count, 0.0F);
    }
  }
  // scale · dbias by distance of the head.
  const float* bias_sums(std::int64_t head) {
    return dbias_.get(0) + (head - first_head_) * distances_;
  }

  float scale(const AttentionArgs& args) const { return args.scale; }

  HWY_INLINE void begin(const BackwardQueries& unit) {
    DotScores::begin(unit);
    const AttentionArgs& args = unit.args;
    q_ = padded_rows(head_rows(args.q, unit.first_row(), unit.count, unit.head, args.d_k),
                     q_padded_);
  }

  HWY_INLINE void add(const BackwardQueries& unit, const AttentionTile& tile, const float* ds) {
    const AttentionBackwardArgs& to = unit.gradients;
    const std::int64_t width = round_up(tile.queries);
    const std::int64_t d_k = unit.args.d_k;
    add_to_keys(tile, ds, q_, added_keys(unit, tile, to.accumulate_dk),
                head_rows(to.dk, unit.sentence.first_key + tile.first_key, tile.keys,
                          unit.args.kv_head(unit.head), d_k),
                sums_);
    const HeadRows k = padded_rows(tile_keys(unit, tile), k_padded_);
    const Product product{.a = ds, .a_row = 1, .a_column = width, .b = k.data, .b_row = k.stride};
    multiply_into(product, head_rows(to.dq, unit.first_row(), unit.count, unit.head, d_k),
                  to.accumulate_dq || !tile.is_first, sums_,
                  [&](std::int64_t begin, std::int64_t end) {
                    return ProductRange{tile.first_visible(begin), tile.visible(end - 1), 0};
                  });
    if (to.dbias) {
      add_bias_gradient(tile, ds, width, dbias_.get(0) + (unit.head - first_head_) * distances_);
    }
  }
  void end(const BackwardQueries& /*unit*/) {}

 private:
  HeadRows q_;
  std::int64_t first_head_ = 0, distances_ = 0;
  Scratch<float> q_padded_, k_padded_, sums_, dbias_;
};

// `dbias` gets the sums by distance of the unit's heads, bias_distances() apart; null for none.
void attend_backward(const AttentionBackwardArgs& args, const AttentionUnit& unit, float* dbias) {
  static thread_local DotGradients gradients;
  static thread_local BackwardScratch scratch;
  gradients.start(args, unit);
  backward_unit(args, unit, gradients, scratch);
  if (dbias != nullptr) {
    const std::int64_t distances = bias_distances(AttentionSentence(args.forward, unit.sentence));
    for (std::int64_t head = unit.head_begin; head < unit.head_end; ++head, dbias += distances) {
      std::copy_n(gradients.bias_sums(head), distances, dbias);
    }
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

void attention_backward(const AttentionBackwardArgs& given, Exec& exec) {
  if (given.forward.q.dtype != DType::f32) {
    reference_kernels().attention_backward.function()(given, exec);
    return;
  }
  const AttentionBackwardArgs args = without_aliases(given);
  const AttentionArgs& forward = args.forward;
  if (forward.pattern.dilation > 1) {
    for_each_phase(args,
                   [&](const AttentionBackwardArgs& phase) { attention_backward(phase, exec); });
    return;
  }
  static thread_local Scratch<float> distance_sums;
  float* sums =
      args.dbias
          ? distance_sums.get(static_cast<std::size_t>(distance_offset(forward, forward.sentences)))
          : nullptr;
  const std::vector<AttentionUnit>& units =
      attention_units(forward, kWholeSentences, forward.heads_per_kv);
  const auto attend_one = HWY_DYNAMIC_DISPATCH(attend_backward);
  exec.pool->run(static_cast<std::int64_t>(units.size()), [&](std::int64_t index) {
    const AttentionUnit& unit = units[static_cast<std::size_t>(index)];
    const AttentionSentence sentence(forward, unit.sentence);
    attend_one(args, unit,
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
