// MultiHead(Q, K, V) = Concat(head_1 … head_h) W^O,  head_i = Attention(Q W_i^Q, K W_i^K, V W_i^V)
// Vaswani et al. 2017, §3.2.2. d_k and d_v are free of d_model / h (Table 3, rows A and B).
#pragma once

#include <memory>

#include "yona/nn/attention/mechanism.h"
#include "yona/nn/sub_layer.h"

namespace yona {

// Which of the four projections have a bias.
struct AttentionBiases {
  Biases qkv = Biases::yes;     // W^Q, W^K, W^V
  Biases output = Biases::yes;  // W^O
};

class MultiHeadAttention : public Module {
 public:
  MultiHeadAttention(std::int64_t d_model, const HeadShape& shape, const AttentionSpec& spec,
                     const AttentionBiases& biases = {});

  // x attends to itself, or to the memory of another stack.
  SubLayerResult operator()(const Ragged& x, const Sight& sight, Context& c) const {
    return {heads(x, sight, c), output_, c};  // [T, d_model]
  }
  SubLayerResult operator()(const Ragged& x, const Ragged& memory, Context& c) const {
    return {heads(x, memory, c), output_, c};  // [T, d_model]
  }

 private:
  // Concat(head_1 … head_h)
  Ragged heads(const Ragged& x, const Sight& sight, Context& c) const;
  Ragged heads(const Ragged& x, const Ragged& memory, Context& c) const;
  // Q [T, h·d_k], K [T, h'·d_k] and V [T, h'·d_v] of self-attention, with K and V beside each other
  // where a cache wants them so.
  struct Projected {
    Tensor Q, K, V, keys_and_values;
  };
  Projected projected(const Ragged& x, Context& c) const;
  Projected normed(const Ragged& x, Context& c) const;
  Projected shared(const Ragged& x, Context& c) const;
  // Gives the weights to c.attention, where there is one.
  void show(const Ragged& Q, const Ragged& K, const Sight& sight, Context& c) const;

  HeadShape shape_;
  // Registered as query, key, value weights and then their biases, so that the three products are
  // one, of the rows below each other. Without biases, theirs stay empty.
  Parameter query_weight_, key_weight_, value_weight_, query_bias_, key_bias_, value_bias_;
  Parameter query_norm_, key_norm_;  // [d_k]; with qk_norm_epsilon
  Linear output_;
  std::unique_ptr<AttentionMechanism> attend_;
  bool shares_keys_;  // queries are keys: there are no key weights
  const RotaryPositions* rotary_;
  float qk_norm_epsilon_;
};

}  // namespace yona
