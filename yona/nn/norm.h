// Layer normalisation, and the two ways a sub-layer sits in the residual stream.
#pragma once

#include "yona/nn/module.h"
#include "yona/tensor/ops/residual_norm.h"
#include "yona/tensor/ops/rms_norm.h"

namespace yona {

inline constexpr float kNormEpsilon = 1e-5F;  // as in the Hugging Face families

// layer: mean and deviation (Ba et al. 2016); rms: without mean and bias (Zhang and Sennrich 2019).
enum class NormKind : std::uint8_t { layer, rms };

class LayerNorm : public Module {
 public:
  explicit LayerNorm(std::int64_t d_model, NormKind kind = NormKind::layer,
                     float epsilon = kNormEpsilon);
  Ragged operator()(const Ragged& x, Context& c) const;

 protected:
  Parameter weight_, bias_;  // bias_ stays empty for rms
  NormKind kind_;
  float epsilon_;
};

enum class NormPosition : std::uint8_t { post, pre };

struct ResidualNormOptions {
  std::int64_t d_model = 512;
  NormPosition position = NormPosition::post;
  double dropout = 0.0;
  NormKind kind = NormKind::layer;
  float epsilon = kNormEpsilon;
};

// A sub-layer f and what is around it:
//   post   LN(x + Dropout(f(x)))      §3.1, §5.4: the paper
//   pre    x + Dropout(f(LN(x)))      Xiong et al. 2020: trains without a long warm-up
// What f gives is used here alone: in training its values, which no gradient needs, are discarded.
class ResidualNormLayer : public LayerNorm {
 public:
  explicit ResidualNormLayer(const ResidualNormOptions& options)
      : LayerNorm(options.d_model, options.kind, options.epsilon),
        position_(options.position),
        dropout_(options.dropout) {}

  template <class SubLayer>
  Ragged operator()(const Ragged& x, const SubLayer& f, Context& c) const {
    return position_ == NormPosition::post ? norm_of_sum(x, f(x), c)
                                           : sum(x, f(LayerNorm::operator()(x, c)), c);
  }

 private:
  Ragged norm_of_sum(const Ragged& x, const Ragged& r, Context& c) const;
  Ragged sum(const Ragged& x, const Ragged& r, Context& c) const;

  NormPosition position_;
  double dropout_;
};

}  // namespace yona
