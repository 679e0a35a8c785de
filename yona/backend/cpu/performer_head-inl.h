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

#include "yona/backend/cpu/performer_chunk-inl.h"
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

  // weights ← φ ψᵀ ∘ factors
  void find_weights(const Tokens& t) {
    transpose_chunk(buffers_.psi, features_->wide, t.count, features_->count,
                    buffers_.psi_transposed);
    whole_product({.a = buffers_.phi,
                   .a_row = features_->wide,
                   .b = buffers_.psi_transposed,
                   .b_row = kPerformerChunk,
                   .c = buffers_.weights,
                   .c_row = kPerformerChunk},
                  t.count, features_->count, kPerformerChunk);
    multiply_by_factors(buffers_.weights, t.count);
  }
  void multiply_by_factors(float* pairs, std::int64_t rows) const {
    for (std::int64_t i = 0; i < rows * kPerformerChunk; ++i) {
      pairs[i] *= buffers_.factors[i];
    }
  }

  // state ← decay · state + featuresᵀ values, and its transpose where gradients want it
  void add_to_state(float decay, const float* of_tokens, const float* values, std::int64_t count) {
    const std::int64_t wide = features_->wide;
    for (std::int64_t i = 0; i < wide * wide_v_; ++i) {
      buffers_.state[i] *= decay;
    }
    whole_product({.a = of_tokens,
                   .a_row = 1,
                   .a_column = wide,
                   .b = values,
                   .b_row = wide_v_,
                   .c = buffers_.state,
                   .c_row = wide_v_,
                   .accumulate = true},
                  features_->count, count, wide_v_);
    if (!has_gradients_) {
      return;
    }
    for (std::int64_t i = 0; i < (args_->d_v + 1) * wide; ++i) {
      buffers_.state_transposed[i] *= decay;
    }
    whole_product({.a = values,
                   .a_row = 1,
                   .a_column = wide_v_,
                   .b = of_tokens,
                   .b_row = wide,
                   .c = buffers_.state_transposed,
                   .c_row = wide,
                   .accumulate = true},
                  args_->d_v + 1, count, wide);
  }

  // to ← rows, each times its factor
  void scale_rows(const float* rows, const float* factors, std::int64_t count, std::int64_t width,
                  float* to) const {
    for (std::int64_t i = 0; i < count; ++i) {
      for (std::int64_t c = 0; c < width; ++c) {
        to[i * width + c] = factors[i] * rows[i * width + c];
      }
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
    scale_rows(buffers_.values, buffers_.row_factors, t.count, wide_v_, buffers_.scaled);
    add_to_state(before == kNone ? 0.0F : std::exp(before - largest_), buffers_.psi,
                 buffers_.scaled, t.count);
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
    whole_product({.a = buffers_.phi,
                   .a_row = features_->wide,
                   .b = buffers_.state,
                   .b_row = wide_v_,
                   .c = buffers_.sums,
                   .c_row = wide_v_},
                  t.count, features_->count, wide_v_);
    scale_rows(buffers_.sums, buffers_.decays, t.count, wide_v_, buffers_.sums);
    if (is_causal_) {
      find_weights(t);
      whole_product({.a = buffers_.weights,
                     .a_row = kPerformerChunk,
                     .b = buffers_.values,
                     .b_row = wide_v_,
                     .c = buffers_.sums,
                     .c_row = wide_v_,
                     .accumulate = true},
                    t.count, t.count, wide_v_);
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
    transpose_chunk(buffers_.values, wide_v_, t.count, args_->d_v + 1, buffers_.values_transposed);
    whole_product({.a = buffers_.gradients,
                   .a_row = wide_v_,
                   .b = buffers_.values_transposed,
                   .b_row = kPerformerChunk,
                   .c = buffers_.pairs,
                   .c_row = kPerformerChunk},
                  t.count, args_->d_v + 1, kPerformerChunk);
    multiply_by_factors(buffers_.pairs, t.count);
  }

  // dω·q' = φ ∘ (e^(before - R_i) [g, …] Sᵀ + pairs ψ);  dq = √scale · dω·q' Ω
  void write_query_gradients(const AttentionBackwardArgs& args, const Tokens& t) {
    if (!load_chunk(t, largest_)) {
      return;
    }
    const std::int64_t wide = features_->wide;
    load_gradients(args, t);
    whole_product({.a = buffers_.gradients,
                   .a_row = wide_v_,
                   .b = buffers_.state_transposed,
                   .b_row = wide,
                   .c = buffers_.d_features,
                   .c_row = wide},
                  t.count, args_->d_v + 1, wide);
    scale_rows(buffers_.d_features, buffers_.decays, t.count, wide, buffers_.d_features);
    if (is_causal_) {
      find_pair_gradients(t);
      whole_product({.a = buffers_.pairs,
                     .a_row = kPerformerChunk,
                     .b = buffers_.psi,
                     .b_row = wide,
                     .c = buffers_.d_features,
                     .c_row = wide,
                     .accumulate = true},
                    t.count, t.count, wide);
    }
    exponent_gradients(buffers_.phi, t.count * wide);
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
    const std::int64_t wide = features_->wide;
    const auto index = static_cast<std::size_t>(t.index);
    const bool has_pairs = is_causal_ && load_chunk(t, ends_[index]);
    if (!has_pairs) {
      load_keys(t);
    }
    exponentials_below(buffers_.key_tops, is_causal_ ? ends_[index + 1] : largest_, t.count,
                       buffers_.row_factors);
    whole_product({.a = buffers_.values,
                   .a_row = wide_v_,
                   .b = buffers_.state_transposed,
                   .b_row = wide,
                   .c = buffers_.d_features,
                   .c_row = wide},
                  t.count, args_->d_v + 1, wide);
    scale_rows(buffers_.d_features, buffers_.row_factors, t.count, wide, buffers_.d_features);
    whole_product({.a = buffers_.psi,
                   .a_row = wide,
                   .b = buffers_.state,
                   .b_row = wide_v_,
                   .c = buffers_.sums,
                   .c_row = wide_v_},
                  t.count, features_->count, wide_v_);
    scale_rows(buffers_.sums, buffers_.row_factors, t.count, wide_v_, buffers_.sums);
    if (has_pairs) {
      load_gradients(args, t);
      add_pair_gradients(t);
    }
    add_rows(buffers_.sums, wide_v_, key_rows(args.dv, t, args_->d_v), adds_dv);
    exponent_gradients(buffers_.psi, t.count * wide);
    subtract_keys(t);
    add_rows(buffers_.d_rows, features_->wide_k, key_rows(args.dk, t, args_->d_k), adds_dk);
  }

  void add_pair_gradients(const Tokens& t) {
    find_pair_gradients(t);
    whole_product({.a = buffers_.pairs,
                   .a_row = 1,
                   .a_column = kPerformerChunk,
                   .b = buffers_.phi,
                   .b_row = features_->wide,
                   .c = buffers_.d_features,
                   .c_row = features_->wide,
                   .accumulate = true},
                  t.count, t.count, features_->wide);
    find_weights(t);
    whole_product({.a = buffers_.weights,
                   .a_row = 1,
                   .a_column = kPerformerChunk,
                   .b = buffers_.gradients,
                   .b_row = wide_v_,
                   .c = buffers_.sums,
                   .c_row = wide_v_,
                   .accumulate = true},
                  t.count, t.count, wide_v_);
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
      add_to_state(1.0F, buffers_.phi, buffers_.gradients, t.count);
      return;
    }
    const bool has_queries = without_query(t) < t.count;
    if (has_queries) {  // which write_key_gradients() has loaded
      scale_rows(buffers_.gradients, buffers_.decays, t.count, wide_v_, buffers_.scaled);
    }
    add_to_state(std::exp(before - ends_[index + 1]), buffers_.phi, buffers_.scaled,
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
