#include "yona/nn/norm.h"

#include "yona/tensor/ops/batch_norm.h"
#include "yona/tensor/ops/dropout.h"

namespace yona {

LayerNorm::LayerNorm(std::int64_t d_model, NormKind kind, float epsilon)
    : kind_(kind), epsilon_(epsilon) {
  weight_.shape = Shape{d_model};
  weight_.init = Init::ones;
  add("weight", weight_);
  if (kind != NormKind::rms) {
    bias_.shape = Shape{d_model};
    add("bias", bias_);
  }
  if (kind == NormKind::batch) {
    running_mean_ = {.shape = {d_model}, .trained = false};
    running_variance_ = {.shape = {d_model}, .init = Init::ones, .trained = false};
    add("running_mean", running_mean_);
    add("running_variance", running_variance_);
  }
}

Tensor LayerNorm::normed(const Tensor& x, Context& c) const {
  switch (kind_) {
    case NormKind::layer:
      return layer_norm(x, weight_.value, bias_.value, epsilon_, c);
    case NormKind::rms:
      return rms_norm(x, weight_.value, epsilon_, c);
    case NormKind::batch:
      return batch_norm(x,
                        {.weight = weight_.value,
                         .bias = bias_.value,
                         .running_mean = running_mean_.value,
                         .running_variance = running_variance_.value,
                         .epsilon = epsilon_},
                        c);
  }
  fail("norm: unknown kind {}", static_cast<int>(kind_));
}

// Without FormSum::yes the sum may be left out.
LayerNorm::Result LayerNorm::norm(const Residual& x, FormSum form_sum, Context& c) const {
  if (kind_ == NormKind::layer && x.r_.last() != nullptr) {
    const ResidualNorm result = linear_norm(x.x_.values, x.r_.values().values,
                                            {.weight = x.r_.last()->weight(),
                                             .bias = x.r_.last()->bias(),
                                             .norm_weight = weight_.value,
                                             .norm_bias = bias_.value,
                                             .epsilon = epsilon_},
                                            form_sum, c);
    return {x.x_.with(result.sum), x.x_.with(result.normed)};
  }
  if (kind_ == NormKind::layer && x.pending()) {
    const Ragged r = x.r_.formed(c);
    const ResidualNorm result =
        residual_norm(x.x_.values, r.values, weight_.value, bias_.value, epsilon_, x.dropout_, c);
    x.discard(r, c);
    return {x.x_.with(result.sum), x.x_.with(result.normed)};
  }
  const Ragged sum = x.sum(c);
  return {sum, sum.with(normed(sum.values, c))};
}

Ragged Residual::sum(Context& c) const {
  if (!pending()) {
    return x_;
  }
  const Ragged r = r_.formed(c);
  const Tensor result = residual_sum(x_.values, r.values, dropout_, c);
  discard(r, c);
  return x_.with(result);
}

void Residual::discard(const Ragged& r, const Context& c) const {
  const bool is_x = r.values.storage().get() == x_.values.storage().get();
  if (c.tape != nullptr && !is_x && r.values.covers_storage()) {
    r.values.discard_values();
  }
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): x ends here, before the sub-layer runs
ResidualBranch ResidualNormLayer::branch(Residual x, Context& c) const {
  if (position_ == NormPosition::post) {
    Ragged sum = x.sum(c);
    return {sum, sum};
  }
  Result result = of_sum(x, c);
  return {std::move(result.sum), std::move(result.normed)};
}

Residual ResidualNormLayer::merge(const ResidualBranch& b, SubLayerResult r, Context& c) const {
  if (!has_residual_) {
    const RowDropout row_dropout{c.dropout(dropout_, stream()), *b.stream.layout};
    const Ragged alone = b.stream.with(yona::dropout(r.formed(c).values, row_dropout, c));
    return position_ == NormPosition::post ? (*this)(alone, c) : alone;
  }
  Residual sum(b.stream, std::move(r), {c.dropout(dropout_, stream()), *b.stream.layout});
  return position_ == NormPosition::post ? (*this)(sum, c) : sum;
}

}  // namespace yona
