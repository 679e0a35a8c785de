// Linformer (Wang et al. 2020): keys and values of a sentence are projected along its tokens to a
// fixed number k of rows, and queries attend to these:
//   Attention(Q, E K, F V),  E and F: [k, n], one pair for all heads of a layer (§4, headwise)
// O(T·k·d) time and memory. n is the longest sentence that the model can take (max_positions); a
// shorter one uses the first columns of E and F. Encoders only: a row of E K mixes all tokens, so
// there is no causal form, and no attention to a cache. f32.
#pragma once

#include "yona/nn/attention/mechanism.h"

namespace yona {

class LinformerAttention : public AttentionMechanism {
 public:
  LinformerAttention(const HeadShape& shape, const AttentionSpec& spec);
  Ragged operator()(const Ragged& Q, const Ragged& K, const Ragged& V, const Sight& sight,
                    Context& c) const override;
  Tensor operator()(const Tensor& Q, const CachedKeys& cache, const Sight& sight,
                    Context& c) const override;
  // Over the k projected keys, not over tokens.
  Tensor weights(const Ragged& Q, const Ragged& K, const Sight& sight, Context& c) const override;

 private:
  Ragged projected(const Parameter& projection, const Ragged& x, Context& c) const;
  AttentionOptions checked_options(const Sight& sight, Context& c) const;

  Parameter keys_, values_;  // E and F
};

}  // namespace yona
