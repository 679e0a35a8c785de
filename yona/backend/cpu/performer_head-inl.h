// One head of one sentence of attention by random features on the CPU, in time linear in the
// tokens. It walks over chunks of tokens; nearly all of it is products of a chunk with the features
// or with the state
//   S = Σ_j e^(B_j - R) ψ_j [v_j, 1]ᵀ,   ψ_j = exp(ω·k'_j - |k'_j|²/2 - B_j),  R = max B_j
// where B_j is a key's largest exponent, so that no power overflows. Under a causal mask S holds
// the chunks before, and the pairs within a chunk are formed themselves: a query's result does not
// depend on later tokens. Backward walks forwards with S, then backwards with
//   T = Σ_i e^(R - R_i) φ_i [g_i, -g_i·out_i]ᵀ,  φ_i = exp(ω·q'_i - A_i),  g_i = dout_i / Σ_j w_ij
// Once per instruction set.

#if defined(YONA_BACKEND_CPU_PERFORMER_HEAD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef YONA_BACKEND_CPU_PERFORMER_HEAD_INL_H_
#undef YONA_BACKEND_CPU_PERFORMER_HEAD_INL_H_
#else
#define YONA_BACKEND_CPU_PERFORMER_HEAD_INL_H_
#endif

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "yona/backend/cpu/performer_products-inl.h"
#include "yona/backend/kernel_args.h"

HWY_BEFORE_NAMESPACE();
namespace yona::cpu::HWY_NAMESPACE {

// One head of one sentence.
class PerformerHead {
 public:
  void forward(const AttentionArgs& args, const PerformerFeatures& features, std::int64_t sentence,
               std::int64_t head) {
    start(args, features, sentence, head, GradientsOf::none);
    walk([&](const Tokens& keys) { add_keys(keys); },
         [&](const Tokens& queries) { write_outputs(queries); });
  }

  // Of the head's queries; dk and dv are added to where `adds` says so.
  void backward(const AttentionBackwardArgs& args, const PerformerFeatures& features,
                std::int64_t sentence, std::int64_t head, bool adds_dk, bool adds_dv) {
    start(args.forward, features, sentence, head, GradientsOf::all);
    walk([&](const Tokens& keys) { add_keys(keys); },
         [&](const Tokens& queries) { write_query_gradients(args, queries); });
    clear_state();
    if (is_causal_) {
      for (std::int64_t n = chunks(keys_); n-- > 0;) {
        write_key_gradients(args, chunk(n, keys_), adds_dk, adds_dv);
        add_queries(args, chunk(n, keys_), ends_[static_cast<std::size_t>(n)]);
      }
      return;
    }
    for (std::int64_t n = 0; n < chunks(queries_); ++n) {
      add_queries(args, chunk(n, queries_), largest_);
    }
    for (std::int64_t n = 0; n < chunks(keys_); ++n) {
      write_key_gradients(args, chunk(n, keys_), adds_dk, adds_dv);
    }
  }

 private:
  enum class GradientsOf : bool { none, all };
  // Tokens [begin, begin + count) of the sentence, as keys; without a mask also as queries.
  struct Tokens {
    std::int64_t index = 0, begin = 0, count = 0;
  };
  static constexpr float kNone = -std::numeric_limits<float>::infinity();

  void start(const AttentionArgs& args, const PerformerFeatures& features, std::int64_t sentence,
             std::int64_t head, GradientsOf gradients) {
    args_ = &args;
    features_ = &features;
    head_ = head;
    first_query_ = args.q_offsets[sentence];
    first_key_ = args.k_offsets[sentence];
    queries_ = args.q_offsets[sentence + 1] - first_query_;
    keys_ = args.k_offsets[sentence + 1] - first_key_;
    is_causal_ = args.mask == Mask::causal;
    shift_ = is_causal_ ? keys_ - queries_ : 0;
    wide_v_ = round_up(args.d_v + 1);
    has_gradients_ = gradients == GradientsOf::all;
    buffers_.resize(*features_, wide_v_);
    clear_state();
    largest_ = kNone;
    ends_.assign(1, kNone);
  }

  void clear_state() {
    std::fill_n(buffers_.state, features_->wide * wide_v_, 0.0F);
    std::fill_n(buffers_.state_transposed, wide_v_ * features_->wide, 0.0F);
  }

  static std::int64_t chunks(std::int64_t tokens) {
    return (tokens + kPerformerChunk - 1) / kPerformerChunk;
  }
  static Tokens chunk(std::int64_t n, std::int64_t tokens) {
    const std::int64_t begin = n * kPerformerChunk;
    return {n, begin, std::min(kPerformerChunk, tokens - begin)};
  }

  // Keys before queries where a query sees all, chunk by chunk where it sees the earlier ones.
  template <class Keys, class Queries>
  void walk(const Keys& keys, const Queries& queries) {
    for (std::int64_t n = 0; n < chunks(keys_); ++n) {
      if (is_causal_) {
        queries(chunk(n, keys_));
      }
      keys(chunk(n, keys_));
    }
    for (std::int64_t n = 0; n < chunks(queries_) && !is_causal_; ++n) {
      queries(chunk(n, queries_));
    }
  }

  HeadRows query_rows(const View& view, const Tokens& t, std::int64_t skipped,
                      std::int64_t columns) const {
    return head_rows(view, first_query_ + t.begin + skipped - shift_, t.count - skipped, head_,
                     columns);
  }
  HeadRows key_rows(const View& view, const Tokens& t, std::int64_t columns) const {
    return head_rows(view, first_key_ + t.begin, t.count, args_->kv_head(head_), columns);
  }
  // How many of the tokens have no query: those that a cache has from before.
  std::int64_t without_query(const Tokens& t) const {
    return std::clamp<std::int64_t>(shift_ - t.begin, 0, t.count);
  }

  // ψ, B and [v, 1]
  void load_keys(const Tokens& t) {
    const HeadRows K = key_rows(args_->k, t, args_->d_k);
    features_of(*features_, K, buffers_.psi, buffers_.key_tops);
    subtract_half_squares(K, args_->scale, buffers_.key_tops);
    const HeadRows V = key_rows(args_->v, t, args_->d_v);
    for (std::int64_t j = 0; j < t.count; ++j) {
      float* to = buffers_.values + j * wide_v_;
      std::copy_n(V.data + j * V.stride, args_->d_v, to);
      to[args_->d_v] = 1.0F;
      std::fill(to + args_->d_v + 1, to + wide_v_, 0.0F);
    }
  }

  // φ and A; rows of tokens without a query are zero.
  void load_queries(const Tokens& t, std::int64_t skipped) {
    std::fill_n(buffers_.phi, skipped * features_->wide, 0.0F);
    std::fill_n(buffers_.query_tops, skipped, 0.0F);
    features_of(*features_, query_rows(args_->q, t, skipped, args_->d_k),
                buffers_.phi + skipped * features_->wide, buffers_.query_tops + skipped);
  }

  // R_i of each query, and what the state before the chunk is multiplied by for it.
  void find_maxima(const Tokens& t, float before) {
    float largest = before;
    for (std::int64_t i = 0; i < t.count; ++i) {
      largest = is_causal_ ? std::max(largest, buffers_.key_tops[i]) : largest;
      buffers_.maxima[i] = largest;
      buffers_.decays[i] = before == kNone ? 0.0F : std::exp(before - largest);
    }
  }

  // e^(B_j - R_i) of the pairs in a chunk; zero where j comes after i.
  void find_pair_factors(const Tokens& t) {
    for (std::int64_t i = 0; i < t.count; ++i) {
      float* row = buffers_.factors + i * kPerformerChunk;
      exponentials_below(buffers_.key_tops, buffers_.maxima[i], i + 1, row);
      std::fill(row + i + 1, row + kPerformerChunk, 0.0F);
    }
  }

  // Rows of features, and rows of values with the column of their sums.
  PerformerRows of_features(float* rows) const { return {rows, features_->wide, features_->count}; }
  PerformerRows of_values(float* rows) const { return {rows, wide_v_, args_->d_v + 1}; }

  // weights ← φ ψᵀ ∘ factors
  void find_weights(const Tokens& t) {
    multiply_pairs(of_features(buffers_.phi), of_features(buffers_.psi), buffers_.factors, t.count,
                   buffers_.psi_transposed, buffers_.weights);
  }

  // state ← decay · state + featuresᵀ values, and its transpose where gradients want it
  void add_tokens(float decay, float* features, float* values, std::int64_t count) {
    const PerformerRows F = of_features(features);
    const PerformerRows V = of_values(values);
    add_to_state(decay, F, V, count, buffers_.state);
    if (has_gradients_) {
      add_to_state(decay, V, F, count, buffers_.state_transposed);
    }
  }

  void add_keys(const Tokens& t) {
    if (!is_causal_ || t.count - without_query(t) == 0) {
      load_keys(t);  // else the queries of the chunk have
    }
    const float before = largest_;
    for (std::int64_t j = 0; j < t.count; ++j) {
      largest_ = std::max(largest_, buffers_.key_tops[j]);
    }
    ends_.push_back(largest_);
    exponentials_below(buffers_.key_tops, largest_, t.count, buffers_.row_factors);
    scale_rows(of_values(buffers_.values), buffers_.row_factors, t.count, buffers_.scaled);
    add_tokens(before == kNone ? 0.0F : std::exp(before - largest_), buffers_.psi, buffers_.scaled,
               t.count);
  }

  // All that is known of a chunk's queries before the keys of the chunk are added. False: none.
  bool load_chunk(const Tokens& t, float before) {
    const std::int64_t skipped = without_query(t);
    if (skipped == t.count) {
      return false;
    }
    load_queries(t, skipped);
    if (is_causal_) {
      load_keys(t);
    }
    find_maxima(t, before);
    if (is_causal_) {
      find_pair_factors(t);
    }
    return true;
  }

  // [Σ_j w_ij v_j, Σ_j w_ij] = e^(before - R_i) φ_i S + Σ_j of the chunk
  void write_outputs(const Tokens& t) {
    if (!load_chunk(t, largest_)) {
      return;
    }
    const PerformerRows sums_of_values = of_values(buffers_.sums);
    multiply_by_state(of_features(buffers_.phi), buffers_.state, buffers_.decays, t.count,
                      sums_of_values);
    if (is_causal_) {
      find_weights(t);
      add_pairs(buffers_.weights, SumsOf::queries, of_values(buffers_.values), t.count,
                sums_of_values);
    }
    const std::int64_t skipped = without_query(t);
    const HeadRows out = query_rows(args_->out, t, skipped, args_->d_v);
    const HeadRows lse = query_rows(args_->lse, t, skipped, 1);
    for (std::int64_t i = skipped; i < t.count; ++i) {
      const float* sums = buffers_.sums + i * wide_v_;
      const float total = sums[args_->d_v];
      const bool is_there = !(total < kSmallestSum);
      float* to = out.data + (i - skipped) * out.stride;
      for (std::int64_t c = 0; c < args_->d_v; ++c) {
        to[c] = is_there ? sums[c] / total : 0.0F;
      }
      lse.data[(i - skipped) * lse.stride] =
          is_there ? std::log(total) + buffers_.query_tops[i] + buffers_.maxima[i] : kNone;
    }
  }

  // [g_i, -g_i·out_i]; zero for tokens without a query
  void load_gradients(const AttentionBackwardArgs& args, const Tokens& t) {
    const std::int64_t skipped = without_query(t);
    std::fill_n(buffers_.gradients, t.count * wide_v_, 0.0F);
    const HeadRows out = query_rows(args_->out, t, skipped, args_->d_v);
    const HeadRows dout = query_rows(args.dout, t, skipped, args_->d_v);
    const HeadRows lse = query_rows(args_->lse, t, skipped, 1);
    for (std::int64_t i = skipped; i < t.count; ++i) {
      const float log_sum = lse.data[(i - skipped) * lse.stride];
      const float inverse =
          log_sum == kNone ? 0.0F : std::exp(buffers_.query_tops[i] + buffers_.maxima[i] - log_sum);
      const float* o = out.data + (i - skipped) * out.stride;
      const float* g = dout.data + (i - skipped) * dout.stride;
      float* to = buffers_.gradients + i * wide_v_;
      float dot = 0;
      for (std::int64_t c = 0; c < args_->d_v; ++c) {
        to[c] = inverse * g[c];
        dot += to[c] * o[c];
      }
      to[args_->d_v] = -dot;
    }
  }

  // pairs ← ([g, …] [v, 1]ᵀ) ∘ factors: the gradients of φ_i·ψ_j
  void find_pair_gradients(const Tokens& t) {
    multiply_pairs(of_values(buffers_.gradients), of_values(buffers_.values), buffers_.factors,
                   t.count, buffers_.values_transposed, buffers_.pairs);
  }

  // dω·q' = φ ∘ (e^(before - R_i) [g, …] Sᵀ + pairs ψ);  dq = √scale · dω·q' Ω
  void write_query_gradients(const AttentionBackwardArgs& args, const Tokens& t) {
    if (!load_chunk(t, largest_)) {
      return;
    }
    load_gradients(args, t);
    const PerformerRows d_features = of_features(buffers_.d_features);
    multiply_by_state(of_values(buffers_.gradients), buffers_.state_transposed, buffers_.decays,
                      t.count, d_features);
    if (is_causal_) {
      find_pair_gradients(t);
      add_pairs(buffers_.pairs, SumsOf::queries, of_features(buffers_.psi), t.count, d_features);
    }
    exponent_gradients(buffers_.phi, t.count * features_->wide);
    const std::int64_t skipped = without_query(t);
    add_rows(buffers_.d_rows + skipped * features_->wide_k, features_->wide_k,
             query_rows(args.dq, t, skipped, args_->d_k), args.accumulate_dq);
  }

  // d_rows ← √scale · (features ∘ d_features) Ω
  void exponent_gradients(const float* features, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
      buffers_.d_features[i] *= features[i];
    }
    whole_product({.a = buffers_.d_features,
                   .a_row = features_->wide,
                   .b = features_->rows,
                   .b_row = features_->wide_k,
                   .c = buffers_.d_rows,
                   .c_row = features_->wide_k},
                  count / features_->wide, features_->count, features_->wide_k);
  }

  static void add_rows(const float* from, std::int64_t from_row, const HeadRows& to, bool adds) {
    for (std::int64_t i = 0; i < to.rows; ++i) {
      for (std::int64_t c = 0; c < to.columns; ++c) {
        float* element = to.data + i * to.stride + c;
        *element = (adds ? *element : 0.0F) + from[i * from_row + c];
      }
    }
  }

  // With ρ = R after the chunk, and T of the queries after it:
  //   dω·k' = ψ ∘ (e^(B_j - ρ) [v, 1] Tᵀ + pairsᵀ φ);  dv = e^(B_j - ρ) ψ T + weightsᵀ g
  void write_key_gradients(const AttentionBackwardArgs& args, const Tokens& t, bool adds_dk,
                           bool adds_dv) {
    const auto index = static_cast<std::size_t>(t.index);
    const bool has_pairs = is_causal_ && load_chunk(t, ends_[index]);
    if (!has_pairs) {
      load_keys(t);
    }
    exponentials_below(buffers_.key_tops, is_causal_ ? ends_[index + 1] : largest_, t.count,
                       buffers_.row_factors);
    multiply_by_state(of_values(buffers_.values), buffers_.state_transposed, buffers_.row_factors,
                      t.count, of_features(buffers_.d_features));
    multiply_by_state(of_features(buffers_.psi), buffers_.state, buffers_.row_factors, t.count,
                      of_values(buffers_.sums));
    if (has_pairs) {
      load_gradients(args, t);
      add_pair_gradients(t);
    }
    add_rows(buffers_.sums, wide_v_, key_rows(args.dv, t, args_->d_v), adds_dv);
    exponent_gradients(buffers_.psi, t.count * features_->wide);
    subtract_keys(t);
    add_rows(buffers_.d_rows, features_->wide_k, key_rows(args.dk, t, args_->d_k), adds_dk);
  }

  void add_pair_gradients(const Tokens& t) {
    find_pair_gradients(t);
    add_pairs(buffers_.pairs, SumsOf::keys, of_features(buffers_.phi), t.count,
              of_features(buffers_.d_features));
    find_weights(t);
    add_pairs(buffers_.weights, SumsOf::keys, of_values(buffers_.gradients), t.count,
              of_values(buffers_.sums));
  }

  // Of -|k'|²/2 in every exponent: d_rows -= scale · k Σ_r d_features
  void subtract_keys(const Tokens& t) {
    const HeadRows K = key_rows(args_->k, t, args_->d_k);
    for (std::int64_t j = 0; j < t.count; ++j) {
      const float* d = buffers_.d_features + j * features_->wide;
      float total = 0;
      for (std::int64_t r = 0; r < features_->count; ++r) {
        total += d[r];
      }
      for (std::int64_t c = 0; c < args_->d_k; ++c) {
        buffers_.d_rows[j * features_->wide_k + c] -=
            args_->scale * total * K.data[j * K.stride + c];
      }
    }
  }

  // T ← that of the queries from this chunk on, by the largest exponent before it
  void add_queries(const AttentionBackwardArgs& args, const Tokens& t, float before) {
    const auto index = static_cast<std::size_t>(t.index);
    if (before == kNone) {  // no key comes before
      return;
    }
    if (!is_causal_) {
      load_chunk(t, before);
      load_gradients(args, t);
      add_tokens(1.0F, buffers_.phi, buffers_.gradients, t.count);
      return;
    }
    const bool has_queries = without_query(t) < t.count;
    if (has_queries) {  // which write_key_gradients() has loaded
      scale_rows(of_values(buffers_.gradients), buffers_.decays, t.count, buffers_.scaled);
    }
    add_tokens(std::exp(before - ends_[index + 1]), buffers_.phi, buffers_.scaled,
               has_queries ? t.count : 0);
  }

  const AttentionArgs* args_ = nullptr;
  const PerformerFeatures* features_ = nullptr;
  PerformerBuffers buffers_;
  std::int64_t head_ = 0, first_query_ = 0, first_key_ = 0, queries_ = 0, keys_ = 0;
  std::int64_t shift_ = 0;  // position of the first query among the keys
  std::int64_t wide_v_ = 0;
  bool is_causal_ = false, has_gradients_ = false;
  float largest_ = kNone;    // R of the keys so far
  std::vector<float> ends_;  // R before each chunk of keys, and after the last
};

}  // namespace yona::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
