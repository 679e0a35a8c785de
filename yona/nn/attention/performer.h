// Attention by random features: FAVOR+ (Choromanski et al. 2021, "Rethinking attention with
// performers"). With x' = x / d_k^(1/4) and m rows ω_r,
//   exp(q·k / √d_k) = E[φ(q)·φ(k)],  φ_r(x) = exp(ω_r·x' - |x'|²/2) / √m     (positive, lemma 1)
//   Attention(Q, K, V)_i ≈ φ(q_i) Σ_j φ(k_j) v_jᵀ / (φ(q_i) Σ_j φ(k_j))      (eq. 4)
// so sums over keys serve all queries: O(T·m·d) time, and no memory of the square of the length.
// Under a causal mask the sums go up to the query (prefix sums, §2.5.1). ω are Gaussian, orthogonal
// in blocks of d_k (§3.2), shared by the layer's heads, and drawn from the module's path: a saved
// model sees the same ones. They are not drawn again in training, as the paper does from time to
// time. All exponents are relative to their largest (no constant is added, as the authors' code
// does).
//
// The error falls with 1/√m and grows fast with the norms of queries and keys. Takes no attention
// dropout and no relative positions: there are no weights. With a cache the features of all keys
// are formed again for each token: O(n·m·d) a token, more than exact attention's O(n·d).
#pragma once

#include <vector>

#include "yona/nn/attention/mechanism.h"

namespace yona {

// [count, width]: rows of Gaussian vectors, orthogonal within each block of `width`; a row's length
// is that of an independent Gaussian vector. The same for the same key.
std::vector<double> orthogonal_features(std::int64_t count, std::int64_t width, std::uint64_t key);

class PerformerAttention : public AttentionMechanism {
 public:
  PerformerAttention(const HeadShape& shape, const AttentionSpec& spec);
  Ragged operator()(const Ragged& Q, const Ragged& K, const Ragged& V, const Sight& sight,
                    Context& c) const override;
  Tensor operator()(const Tensor& Q, const CachedKeys& cache, const Sight& sight,
                    Context& c) const override;
  // Those of the approximation.
  Tensor weights(const Ragged& Q, const Ragged& K, const Sight& sight, Context& c) const override;

 private:
  AttentionOptions checked_options(const Sight& sight, Context& c) const;

  Constant features_;  // [m, d_k]
};

}  // namespace yona
