// Scaled dot-product attention over ragged batches (paper §3.2.1), exact, O(tokens) in memory:
// the weights are never formed, forward or backward, unless someone asks for them on their own.
#pragma once

#include "yona/tensor/row_dropout.h"

namespace yona {

struct AttentionOptions {
  std::int64_t heads = 1;
  std::int64_t kv_heads = 0;  // of k and v (grouped-query attention); divides heads; 0: as many
  std::int64_t d_k = 0;
  std::int64_t d_v = 0;
  float scale = 1.0F;      // on the products: 1/√d_k in the paper, 1 for unscaled attention
  Mask mask = Mask::none;  // see AttentionArgs
  Tensor prefix;           // i64 [sentences], with Mask::prefix
  Tensor bias;             // [heads, 2R+1] by clipped distance; optional, has a gradient
  Dropout dropout;         // of the weights
  // Which keys are left out (backend/attention_pattern.h), in self-attention: sentences have at
  // least as many keys as queries. With dilation neither a bias nor the prefix mask.
  AttentionPattern pattern{};

  std::int64_t heads_per_kv() const { return kv_heads > 0 ? heads / kv_heads : 1; }
};

// q [T_q, h·d_k], k [T_k, h'·d_k], v [T_k, h'·d_v] → [T_q, h·d_v]; each sentence sees itself only.
// h' is kv_heads: query head n reads head n / (h / h') of k and v.
// Q, K and V may be column slices of one tensor.
Tensor attention(const Tensor& q, const Tensor& k, const Tensor& v,
                 const std::shared_ptr<const Layout>& q_layout,
                 const std::shared_ptr<const Layout>& k_layout, const AttentionOptions& options,
                 Context& c);

// Throws InvalidArgument, naming the op, where kv_heads does not divide heads.
void check_kv_heads(const AttentionOptions& options, std::string_view op);

// Additive attention (Bahdanau et al. 2015), the paper's other candidate in §3.2.1: scores are
// vectorᵀ tanh(q + k) per head, vector [heads, d_k]; options.scale and bias are not used.
Tensor additive_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& vector,
                          const std::shared_ptr<const Layout>& q_layout,
                          const std::shared_ptr<const Layout>& k_layout,
                          const AttentionOptions& options, Context& c);

// Attention by random features (Choromanski et al. 2021), features [m, d_k]: backend/
// performer_args.h has the sum, O(tokens · m · d). Masks none and causal; takes no pattern, bias or
// dropout. No gradient of the features.
Tensor performer_attention(const Tensor& q, const Tensor& k, const Tensor& v,
                           const Tensor& features, const std::shared_ptr<const Layout>& q_layout,
                           const std::shared_ptr<const Layout>& k_layout,
                           const AttentionOptions& options, Context& c);

// The weights alone, for looking inside: one row with the sentences one after another, each
// [heads, queries, keys]; they sum to one over the keys, and are zero where a query does not see a
// key. options.d_v and dropout are not used. No gradient.
Tensor attention_weights(const Tensor& q, const Tensor& k,
                         const std::shared_ptr<const Layout>& q_layout,
                         const std::shared_ptr<const Layout>& k_layout,
                         const AttentionOptions& options, Context& c);
Tensor additive_attention_weights(const Tensor& q, const Tensor& k, const Tensor& vector,
                                  const std::shared_ptr<const Layout>& q_layout,
                                  const std::shared_ptr<const Layout>& k_layout,
                                  const AttentionOptions& options, Context& c);
Tensor performer_attention_weights(const Tensor& q, const Tensor& k, const Tensor& features,
                                   const std::shared_ptr<const Layout>& q_layout,
                                   const std::shared_ptr<const Layout>& k_layout,
                                   const AttentionOptions& options, Context& c);

}  // namespace yona
