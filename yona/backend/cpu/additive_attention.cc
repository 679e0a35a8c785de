// Additive attention (Bahdanau et al. 2015) on the CPU, the comparator of the paper's
// section 3.2.1:
//   e_ij = Σ_c u_c · tanh(q_ic + k_jc)
// Only the scores differ from dot-product attention; the rest is attention_forward-inl.h and
// attention_backward-inl.h. It costs a tanh per query, key and channel: about
// twenty times a dot product in the forward pass.

#include <limits>
#include <vector>

#include "yona/backend/cpu/attention_tile.h"
#include "yona/backend/cpu/targets.h"
#include "yona/backend/registration.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "yona/backend/cpu/additive_attention.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "yona/backend/cpu/attention_backward-inl.h"
#include "yona/backend/cpu/attention_forward-inl.h"
#include "yona/backend/cpu/attention_scores-inl.h"
#include "yona/backend/cpu/attention_weights-inl.h"

HWY_BEFORE_NAMESPACE();
namespace yona::cpu::HWY_NAMESPACE {

// tanh x = 1 - 2 / (1 + e^2x), within 4e-7; beyond ±9 it is ±1 in f32. NaN stays.
HWY_INLINE Vector fast_tanh(Vector x) {
  const Floats d;
  const Vector one = hn::Set(d, 1.0F);
  const Vector bounded = hn::Min(hn::Set(d, 9.0F), hn::Max(hn::Set(d, -9.0F), x));
  const Vector sum = hn::Add(one, fast_exp2(hn::Mul(hn::Set(d, 2 * kLog2E), bounded)));
  const Vector guess = hn::ApproximateReciprocal(sum);
  const Vector inverse = hn::Mul(guess, hn::NegMulAdd(sum, guess, hn::Set(d, 2.0F)));
  return hn::NegMulAdd(hn::Set(d, 2.0F), inverse, one);
}

class AdditiveScores {
 public:
  void start(const View& vector) { vector_ = vector; }

  HWY_INLINE void begin(const HeadQueries& unit) {
    const AttentionArgs& args = unit.args;
    pack_transposed(head_rows(args.q, unit.first_row(), unit.count, unit.head, args.d_k), 1.0F,
                    elements_of(queries_, args.d_k * round_up(unit.count)));
  }

  HWY_INLINE void fill(const HeadQueries& unit, const AttentionTile& tile,
                       float* HWY_RESTRICT scores) {
    const Floats d;
    const std::int64_t width = round_up(tile.queries);
    const HeadRows keys = tile_keys(unit, tile);
    const float* HWY_RESTRICT u = vector_.row<float>(unit.head);
    const float* HWY_RESTRICT queries = queries_.get(0);
    for (std::int64_t key = 0; key < tile.keys; ++key) {
      const float* HWY_RESTRICT k = keys.data + key * keys.stride;
      for (std::int64_t lane = first_lane(tile, key); lane < width; lane += kLanes) {
        Vector sum = hn::Zero(d);
        for (std::int64_t c = 0; c < keys.columns; ++c) {
          const Vector q = hn::Load(d, queries + c * width + lane);
          sum = hn::MulAdd(hn::Set(d, u[c]), fast_tanh(hn::Add(q, hn::Set(d, k[c]))), sum);
        }
        hn::Store(hn::Mul(sum, hn::Set(d, kLog2E)), d, scores + key * width + lane);
      }
    }
  }

 protected:
  // Of the first vector with a query that sees the key.
  static std::int64_t first_lane(const AttentionTile& tile, std::int64_t key) {
    return tile.first_seeing(key) / kLanes * kLanes;
  }

  View vector_;
  Scratch<float> queries_;  // transposed
};

// With t = tanh(q_ic + k_jc):  du_c += ds_ij t;  dq_ic and dk_jc += ds_ij u_c (1 - t²)
class AdditiveGradients : public AdditiveScores {
 public:
  // du gets the sums of the unit's heads, d_k apart.
  void start(const View& vector, const AttentionUnit& unit, float* du) {
    AdditiveScores::start(vector);
    first_head_ = unit.head_begin;
    du_ = du;
    std::fill_n(du, (unit.head_end - unit.head_begin) * vector.cols, 0.0F);
  }

  float scale(const AttentionArgs& /*args*/) const { return 1.0F; }

  HWY_INLINE void begin(const BackwardQueries& unit) {
    AdditiveScores::begin(unit);
    const std::int64_t count = unit.args.d_k * round_up(unit.count);
    std::fill_n(elements_of(dq_, count), count, 0.0F);
  }

  HWY_INLINE void add(const BackwardQueries& unit, const AttentionTile& tile,
                      float* HWY_RESTRICT ds) {
    clear_padding(tile, ds);
    const HeadRows keys = tile_keys(unit, tile);
    float* HWY_RESTRICT dk = elements_of(dk_, tile.keys * keys.columns);
    for (std::int64_t c = 0; c < keys.columns; ++c) {
      add_channel(unit, tile, keys, c, ds, dk);
    }
    const std::int64_t added = added_keys(unit, tile, unit.gradients.accumulate_dk);
    for (std::int64_t key = 0; key < tile.keys; ++key) {
      float* to = unit.gradients.dk.row<float>(unit.sentence.first_key + tile.first_key + key) +
                  unit.head * keys.columns;
      for (std::int64_t c = 0; c < keys.columns; ++c) {
        to[c] = (key < added ? to[c] : 0.0F) + dk[key * keys.columns + c];
      }
    }
  }

  void end(const BackwardQueries& unit) {
    const std::int64_t width = round_up(unit.count);
    const float* dq = dq_.get(0);
    for (std::int64_t query = 0; query < unit.count && unit.seen != 0; ++query) {
      float* to =
          unit.gradients.dq.row<float>(unit.first_row() + query) + unit.head * unit.args.d_k;
      for (std::int64_t c = 0; c < unit.args.d_k; ++c) {
        to[c] = (unit.gradients.accumulate_dq ? to[c] : 0.0F) + dq[c * width + query];
      }
    }
  }

 private:
  // Lanes beyond the last query hold anything; here they are summed.
  static void clear_padding(const AttentionTile& tile, float* ds) {
    const std::int64_t width = round_up(tile.queries);
    for (std::int64_t key = 0; key < tile.keys; ++key) {
      std::fill(ds + key * width + tile.queries, ds + (key + 1) * width, 0.0F);
    }
  }

  HWY_INLINE void add_channel(const BackwardQueries& unit, const AttentionTile& tile,
                              const HeadRows& keys, std::int64_t c, const float* HWY_RESTRICT ds,
                              float* HWY_RESTRICT dk) {
    const Floats d;
    const std::int64_t width = round_up(tile.queries);
    const float* HWY_RESTRICT q = queries_.get(0) + c * width;
    float* HWY_RESTRICT dq = dq_.get(0) + c * width;
    const Vector one = hn::Set(d, 1.0F);
    const Vector u = hn::Set(d, vector_.row<float>(unit.head)[c]);
    Vector du = hn::Zero(d);
    for (std::int64_t key = 0; key < tile.keys; ++key) {
      const Vector k = hn::Set(d, keys.data[key * keys.stride + c]);
      Vector sum = hn::Zero(d);
      for (std::int64_t lane = first_lane(tile, key); lane < width; lane += kLanes) {
        const Vector t = fast_tanh(hn::Add(hn::Load(d, q + lane), k));
        const Vector g = hn::Load(d, ds + key * width + lane);
        const Vector part = hn::Mul(hn::Mul(g, u), hn::NegMulAdd(t, t, one));
        du = hn::MulAdd(g, t, du);
        sum = hn::Add(sum, part);
        hn::Store(hn::Add(hn::Load(d, dq + lane), part), d, dq + lane);
      }
      dk[key * keys.columns + c] = hn::GetLane(hn::SumOfLanes(d, sum));
    }
    du_[(unit.head - first_head_) * keys.columns + c] += hn::GetLane(hn::SumOfLanes(d, du));
  }

  std::int64_t first_head_ = 0;
  float* du_ = nullptr;
  Scratch<float> dq_;  // transposed
  Scratch<float> dk_;
};

void attend_additively(const AdditiveAttentionArgs& args, const AttentionUnit& unit) {
  static thread_local AdditiveScores scores;
  static thread_local ForwardScratch scratch;
  scores.start(args.vector);
  attend_unit(args.attention, unit, scores, scratch);
}

void weigh_additively(const AdditiveAttentionWeightsArgs& args, const AttentionUnit& unit,
                      float* weights) {
  static thread_local AdditiveScores scores;
  static thread_local Scratch<float> scratch;
  scores.start(args.vector);
  weigh_unit(args.attention.attention, unit, scores, scratch, weights);
}

void attend_additively_backward(const AdditiveAttentionBackwardArgs& args,
                                const AttentionUnit& unit, float* dvector) {
  static thread_local AdditiveGradients gradients;
  static thread_local BackwardScratch scratch;
  gradients.start(args.vector, unit, dvector);
  backward_unit(args.attention, unit, gradients, scratch);
}

}  // namespace yona::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace yona::cpu {

namespace {

HWY_EXPORT(attend_additively);
HWY_EXPORT(attend_additively_backward);
HWY_EXPORT(weigh_additively);

void additive_attention(const AdditiveAttentionArgs& args, Exec& exec) {
  if (args.attention.q.dtype != DType::f32) {
    reference_kernels().additive_attention.function()(args, exec);
    return;
  }
  const std::vector<AttentionUnit>& units = attention_units(args.attention, kTileQueries);
  const auto attend_one = HWY_DYNAMIC_DISPATCH(attend_additively);
  exec.pool->run(static_cast<std::int64_t>(units.size()), [&](std::int64_t index) {
    attend_one(args, units[static_cast<std::size_t>(index)]);
  });
}

// dvector += the sums of all sentences, in their order.
void add_sums(const AdditiveAttentionBackwardArgs& args, const float* sums) {
  const AttentionArgs& forward = args.attention.forward;
  for (std::int64_t sentence = 0; sentence < forward.sentences; ++sentence) {
    for (std::int64_t head = 0; head < forward.heads; ++head) {
      float* to = args.dvector.row<float>(head);
      for (std::int64_t c = 0; c < forward.d_k; ++c) {
        to[c] += *sums++;
      }
    }
  }
}

void additive_attention_backward(const AdditiveAttentionBackwardArgs& given, Exec& exec) {
  if (given.attention.forward.q.dtype != DType::f32) {
    reference_kernels().additive_attention_backward.function()(given, exec);
    return;
  }
  AdditiveAttentionBackwardArgs args = given;
  args.attention = without_aliases(given.attention);
  const AttentionArgs& forward = args.attention.forward;
  static thread_local Scratch<float> vector_sums;
  float* sums = elements_of(vector_sums, forward.sentences * forward.heads * forward.d_k);
  const std::vector<AttentionUnit>& units = attention_units(forward, kWholeSentences);
  const auto attend_one = HWY_DYNAMIC_DISPATCH(attend_additively_backward);
  exec.pool->run(static_cast<std::int64_t>(units.size()), [&](std::int64_t index) {
    const AttentionUnit& unit = units[static_cast<std::size_t>(index)];
    attend_one(args, unit, sums + (unit.sentence * forward.heads + unit.head_begin) * forward.d_k);
  });
  add_sums(args, sums);
}

void additive_attention_weights(const AdditiveAttentionWeightsArgs& args, Exec& exec) {
  const AttentionArgs& attention = args.attention.attention;
  if (attention.q.dtype != DType::f32) {
    reference_kernels().additive_attention_weights.function()(args, exec);
    return;
  }
  const std::vector<AttentionUnit>& units = attention_units(attention, kTileQueries);
  const std::vector<float*> weights = sentence_weights(args.attention);
  const auto weigh_one = HWY_DYNAMIC_DISPATCH(weigh_additively);
  exec.pool->run(static_cast<std::int64_t>(units.size()), [&](std::int64_t index) {
    const AttentionUnit& unit = units[static_cast<std::size_t>(index)];
    weigh_one(args, unit, weights[static_cast<std::size_t>(unit.sentence)]);
  });
}

const Registration registration(BackendKind::cpu, [](Kernels& table) {
  table.additive_attention = additive_attention;
  table.additive_attention_backward = additive_attention_backward;
  table.additive_attention_weights = additive_attention_weights;
});

}  // namespace

}  // namespace yona::cpu

#endif
