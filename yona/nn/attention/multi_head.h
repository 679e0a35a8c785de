// MultiHead(Q, K, V) = Concat(head_1 … head_h) W^O,  head_i = Attention(Q W_i^Q, K W_i^K, V W_i^V)
// Vaswani et al. 2017, §3.2.2. d_k and d_v are free of d_model / h (Table 3, rows A and B).
#pragma once

#include <memory>

#include "yona/nn/attention/mechanism.h"
#include "yona/nn/sub_layer.h"

namespace yona {

class MultiHeadAttention : public Module {
 public:
  MultiHeadAttention(std::int64_t d_model, const HeadShape& shape, AttentionKind kind,
                     double dropout, Biases biases = Biases::yes);

  // x attends to itself, or to the memory of another stack.
  Ragged operator()(const Ragged& x, const Sight& sight, Context& c) const {
    return output_(heads(x, sight, c), c);  // [T, d_model]
  }
  Ragged operator()(const Ragged& x, const Ragged& memory, Context& c) const {
    return output_(heads(x, memory, c), c);  // [T, d_model]
  }
  // The same for the norm behind it, which may make the last product.
  template <class Seen>
  SubLayerResult for_norm(const Ragged& x, const Seen& seen, Context& c) const {
    return {heads(x, seen, c), output_, c};
  }

 private:
  // Concat(head_1 … head_h)
  Ragged heads(const Ragged& x, const Sight& sight, Context& c) const;
  Ragged heads(const Ragged& x, const Ragged& memory, Context& c) const;
  // Gives the weights to whoever looks inside.
  void show(const Ragged& Q, const Ragged& K, const Sight& sight, Context& c) const;

  HeadShape shape_;
  // Registered as query, key, value weights and then their biases, so that the three products are
  // one, of the rows below each other. Without biases, theirs stay empty.
  Parameter query_weight_, key_weight_, value_weight_, query_bias_, key_bias_, value_bias_;
  Linear output_;
  std::unique_ptr<AttentionMechanism> attend_;
};

}  // namespace yona
