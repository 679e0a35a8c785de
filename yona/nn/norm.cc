#include "yona/nn/norm.h"

namespace yona {

LayerNorm::LayerNorm(std::int64_t d_model) {
  weight_.shape = Shape{d_model};
  weight_.init = Init::ones;
  bias_.shape = Shape{d_model};
  add("weight", weight_);
  add("bias", bias_);
}

Ragged LayerNorm::operator()(const Ragged& x, Context& c) const {
  return x.with(layer_norm(x.values, weight_.value, bias_.value, kNormEpsilon, c));
}

Ragged ResidualNormLayer::norm_of_sum(const Ragged& x, const Ragged& r, Context& c) const {
  const RowDropout dropout(c.dropout(dropout_, stream()), *x.layout);
  return x.with(
      residual_norm(x.values, r.values, weight_.value, bias_.value, kNormEpsilon, dropout, c)
          .normed);
}

Ragged ResidualNormLayer::sum(const Ragged& x, const Ragged& r, Context& c) const {
  const RowDropout dropout(c.dropout(dropout_, stream()), *x.layout);
  return x.with(residual_sum(x.values, r.values, dropout, c));
}

}  // namespace yona
