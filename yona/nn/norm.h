// Layer normalisation, and the two ways a sub-layer sits in the residual stream.
#pragma once

#include "yona/nn/module.h"
#include "yona/tensor/ops/residual_norm.h"

namespace yona {

inline constexpr float kNormEpsilon = 1e-5F;  // as in the Hugging Face families

class LayerNorm : public Module {
 public:
  explicit LayerNorm(std::int64_t d_model);
  Ragged operator()(const Ragged& x, Context& c) const;

 protected:
  Parameter weight_, bias_;
};

enum class NormPosition : std::uint8_t { post, pre };

// A sub-layer f and what is around it:
//   post   LN(x + Dropout(f(x)))      §3.1, §5.4: the paper
//   pre    x + Dropout(f(LN(x)))      Xiong et al. 2020: trains without a long warm-up
class ResidualNormLayer : public LayerNorm {
 public:
  ResidualNormLayer(std::int64_t d_model, NormPosition position, double dropout)
      : LayerNorm(d_model), position_(position), dropout_(dropout) {}

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
