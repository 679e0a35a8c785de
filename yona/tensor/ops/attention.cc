#include "yona/tensor/ops/attention.h"

namespace yona {

namespace {

// All that forward and backward need, kept alive by the tape.
struct Attended {
  Tensor q, k, v, out, lse;
  std::shared_ptr<const Layout> q_layout, k_layout;
  AttentionOptions options;
  Tensor vector;       // additive attention only
  Tensor keep_mask{};  // of dropout, where the backend wants them kept

  AttentionArgs args() const {
    return {.q = q.view(),
            .k = k.view(),
            .v = v.view(),
            .out = out ? out.view() : View{},
            .lse = lse ? lse.view() : View{},
            .q_offsets = q_layout->offsets_data(),
            .k_offsets = k_layout->offsets_data(),
            .sentences = q_layout->sentences,
            .longest_q = q_layout->longest,
            .longest_k = k_layout->longest,
            .lengths_q = q_layout->lengths,
            .lengths_k = k_layout->lengths,
            .heads = options.heads,
            .heads_per_kv = options.heads_per_kv(),
            .d_k = options.d_k,
            .d_v = options.d_v,
            .scale = options.scale,
            .mask = options.mask,
            .prefix = options.prefix ? options.prefix.data<std::int64_t>() : nullptr,
            .pattern = options.pattern,
            .bias = options.bias ? options.bias.view() : View{},
            .q_keys = q_layout->row_keys_data(),
            .dropout = options.dropout,
            .keep_mask = keep_mask ? static_cast<std::uint32_t*>(keep_mask.raw()) : nullptr};
  }
};

void check_pattern(const AttentionOptions& o) {
  const AttentionPattern& p = o.pattern;
  check(!p.has_window() || (p.after >= 0 && p.dilation >= 1),
        "attention: a window of {} keys after the query, with a dilation of {}", p.after,
        p.dilation);
  check(!(p.has_window() && p.has_blocks()), "attention: a window and a block list");
  check(p.dilation == 1 || (!o.bias && o.mask != Mask::prefix),
        "attention: a dilated window takes neither a bias nor the prefix mask");
}

void check_shapes(const Attended& a) {
  const AttentionOptions& o = a.options;
  check(a.q_layout->sentences == a.k_layout->sentences,
        "attention: queries of {} sentences, keys of {}", a.q_layout->sentences,
        a.k_layout->sentences);
  check(a.q.rows() == a.q_layout->tokens && a.k.rows() == a.k_layout->tokens &&
            a.v.rows() == a.k.rows(),
        "attention: q {}, k {} and v {} do not fit {} query and {} key tokens", a.q.shape(),
        a.k.shape(), a.v.shape(), a.q_layout->tokens, a.k_layout->tokens);
  check_kv_heads(o, "attention");
  const std::int64_t kv_heads = o.heads / o.heads_per_kv();
  check(a.q.cols() == o.heads * o.d_k && a.k.cols() == kv_heads * o.d_k &&
            a.v.cols() == kv_heads * o.d_v,
        "attention: q {}, k {} and v {} do not fit {} heads of d_k {} and d_v {}", a.q.shape(),
        a.k.shape(), a.v.shape(), o.heads, o.d_k, o.d_v);
  check(!o.bias || (o.bias.rows() == o.heads && o.bias.cols() % 2 == 1),
        "attention: a bias of shape {} is not [{}, 2R+1]", o.bias.shape(), o.heads);
  check(o.mask != Mask::prefix || (o.prefix && o.prefix.elements() == a.q_layout->sentences),
        "attention: the prefix mask needs one length for each of {} sentences",
        a.q_layout->sentences);
  check_pattern(o);
}

void check_vector(const Attended& a) {
  check(!a.vector || !a.options.pattern, "additive_attention: takes no pattern");
  check(!a.vector || a.options.heads_per_kv() == 1,
        "additive_attention: {} heads cannot share {} heads of keys", a.options.heads,
        a.options.kv_heads);
  check(!a.vector || a.vector.elements() == a.options.heads * a.options.d_k,
        "additive_attention: a vector of shape {} is not [{}, {}]", a.vector.shape(),
        a.options.heads, a.options.d_k);
}

void check_features(const Attended& a, const Tensor& features) {
  const AttentionOptions& o = a.options;
  check(features.rows() > 0 && features.cols() == o.d_k,
        "performer_attention: features of shape {} for heads of {} channels", features.shape(),
        o.d_k);
  check(o.mask != Mask::prefix && !o.pattern && !o.bias && !o.dropout,
        "performer_attention: takes neither the prefix mask nor a pattern, a bias or dropout");
}

AttentionBackwardArgs backward_args(const Attended& a, const Tensor& dout, GradientSums sums,
                                    Context& c) {
  const GradientTargets3 d = gradient_targets(a.q, a.k, a.v, c.region, sums);
  return {.forward = a.args(),
          .dout = dout.view(),
          .dq = d.a.view(),
          .dk = d.b.view(),
          .dv = d.c.view(),
          .accumulate_dq = d.a.accumulate,
          .accumulate_dk = d.b.accumulate,
          .accumulate_dv = d.c.accumulate,
          .dbias = gradient_sum(a.options.bias, c.region),
          .dq_sums = d.a.sums,  // those of dk are zero (kernel_args.h)
          .dv_sums = d.c.sums};
}

// A window that no sentence exceeds is not looked at: the fastest kernels have none.
AttentionPattern needed_pattern(const AttentionOptions& options, const Layout& keys) {
  const AttentionPattern& p = options.pattern;
  const bool sees_all_after = options.mask == Mask::causal || p.after + 1 >= keys.longest;
  const bool is_wide =
      p.has_window() && p.dilation == 1 && p.before + 1 >= keys.longest && sees_all_after;
  return is_wide ? AttentionPattern{} : p;
}

Attended prepare(const Tensor& q, const Tensor& k, const Tensor& v,
                 const std::shared_ptr<const Layout>& q_layout,
                 const std::shared_ptr<const Layout>& k_layout, const AttentionOptions& options,
                 const Tensor& vector, Context& c) {
  Attended attended{q, k, v, {}, {}, q_layout, k_layout, options, vector};
  check_shapes(attended);
  check_vector(attended);
  attended.options.pattern = needed_pattern(options, *k_layout);
  attended.out = c.empty(q.dtype(), Shape{q.rows(), options.heads * options.d_v});
  attended.lse = c.empty(sum_type(q.dtype()), Shape{q.rows(), options.heads});
  return attended;
}

// Without values: the keys stand in their place.
Attended prepare_weights(const Tensor& q, const Tensor& k,
                         const std::shared_ptr<const Layout>& q_layout,
                         const std::shared_ptr<const Layout>& k_layout,
                         const AttentionOptions& options, const Tensor& vector) {
  Attended attended{q, k, k, {}, {}, q_layout, k_layout, options, vector};
  attended.options.d_v = options.d_k;
  attended.options.dropout = {};
  check_shapes(attended);
  check_vector(attended);
  return attended;
}

// [1, Σ heads · queries · keys of the sentences]
Tensor empty_weights(const Attended& attended, Context& c) {
  const auto queries = attended.q_layout->offsets.to_vector<std::int64_t>();
  const auto keys = attended.k_layout->offsets.to_vector<std::int64_t>();
  std::int64_t pairs = 0;
  for (std::size_t s = 1; s < queries.size(); ++s) {
    pairs += (queries[s] - queries[s - 1]) * (keys[s] - keys[s - 1]);
  }
  return c.empty(sum_type(attended.q.dtype()), Shape{1, attended.options.heads * pairs});
}

}  // namespace

void check_kv_heads(const AttentionOptions& options, std::string_view op) {
  check(options.kv_heads >= 0 && (options.kv_heads == 0 || options.heads % options.kv_heads == 0),
        "{}: {} heads of keys do not divide {} heads", op, options.kv_heads, options.heads);
}

Tensor attention(const Tensor& q, const Tensor& k, const Tensor& v,
                 const std::shared_ptr<const Layout>& q_layout,
                 const std::shared_ptr<const Layout>& k_layout, const AttentionOptions& options,
                 Context& c) {
  Attended attended = prepare(q, k, v, q_layout, k_layout, options, {}, c);
  const bool recorded = records(c, q, k, v, options.bias);
  if (const std::int64_t bytes = recorded ? c.backend().keep_mask_bytes(attended.args()) : 0;
      bytes > 0) {
    attended.keep_mask = c.empty(DType::u8, Shape{bytes});
  }
  c.kernels().attention(attended.args(), c.exec());
  if (recorded) {
    check(q.requires_gradient() && k.requires_gradient() && v.requires_gradient(),
          "attention: q, k and v must all take gradients, or none");
    attended.out.set_requires_gradient();
    c.tape->record([attended, &c] {
      if (const Tensor dout = attended.out.gradient(); dout) {
        const auto& kernel = c.kernels().attention_backward;
        kernel(backward_args(attended, dout, kernel.gradient_sums, c), c.exec());
      }
    });
  }
  return attended.out;
}

Tensor additive_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& vector,
                          const std::shared_ptr<const Layout>& q_layout,
                          const std::shared_ptr<const Layout>& k_layout,
                          const AttentionOptions& options, Context& c) {
  const Attended attended = prepare(q, k, v, q_layout, k_layout, options, vector, c);
  c.kernels().additive_attention({.attention = attended.args(), .vector = vector.view()}, c.exec());
  if (records(c, q, k, v, vector)) {
    check(q.requires_gradient() && k.requires_gradient() && v.requires_gradient() &&
              vector.requires_gradient(),
          "additive_attention: q, k, v and the vector must all take gradients, or none");
    attended.out.set_requires_gradient();
    c.tape->record([attended, &c] {
      if (const Tensor dout = attended.out.gradient(); dout) {
        const auto& kernel = c.kernels().additive_attention_backward;
        kernel({.attention = backward_args(attended, dout, kernel.gradient_sums, c),
                .vector = attended.vector.view(),
                .dvector = gradient_sum(attended.vector, c.region)},
               c.exec());
      }
    });
  }
  return attended.out;
}

Tensor performer_attention(const Tensor& q, const Tensor& k, const Tensor& v,
                           const Tensor& features, const std::shared_ptr<const Layout>& q_layout,
                           const std::shared_ptr<const Layout>& k_layout,
                           const AttentionOptions& options, Context& c) {
  const Attended attended = prepare(q, k, v, q_layout, k_layout, options, {}, c);
  check_features(attended, features);
  c.kernels().performer_attention({attended.args(), features.view()}, c.exec());
  if (records(c, q, k, v)) {
    check(q.requires_gradient() && k.requires_gradient() && v.requires_gradient(),
          "performer_attention: q, k and v must all take gradients, or none");
    attended.out.set_requires_gradient();
    c.tape->record([attended, features, &c] {
      if (const Tensor dout = attended.out.gradient(); dout) {
        const auto& kernel = c.kernels().performer_attention_backward;
        kernel({backward_args(attended, dout, kernel.gradient_sums, c), features.view()}, c.exec());
      }
    });
  }
  return attended.out;
}

Tensor attention_weights(const Tensor& q, const Tensor& k,
                         const std::shared_ptr<const Layout>& q_layout,
                         const std::shared_ptr<const Layout>& k_layout,
                         const AttentionOptions& options, Context& c) {
  const Attended attended = prepare_weights(q, k, q_layout, k_layout, options, {});
  Tensor weights = empty_weights(attended, c);
  c.kernels().attention_weights({attended.args(), weights.view()}, c.exec());
  return weights;
}

Tensor additive_attention_weights(const Tensor& q, const Tensor& k, const Tensor& vector,
                                  const std::shared_ptr<const Layout>& q_layout,
                                  const std::shared_ptr<const Layout>& k_layout,
                                  const AttentionOptions& options, Context& c) {
  const Attended attended = prepare_weights(q, k, q_layout, k_layout, options, vector);
  Tensor weights = empty_weights(attended, c);
  c.kernels().additive_attention_weights({{attended.args(), weights.view()}, vector.view()},
                                         c.exec());
  return weights;
}

Tensor performer_attention_weights(const Tensor& q, const Tensor& k, const Tensor& features,
                                   const std::shared_ptr<const Layout>& q_layout,
                                   const std::shared_ptr<const Layout>& k_layout,
                                   const AttentionOptions& options, Context& c) {
  const Attended attended = prepare_weights(q, k, q_layout, k_layout, options, {});
  check_features(attended, features);
  Tensor weights = empty_weights(attended, c);
  c.kernels().performer_attention_weights({{attended.args(), weights.view()}, features.view()},
                                          c.exec());
  return weights;
}

}  // namespace yona
