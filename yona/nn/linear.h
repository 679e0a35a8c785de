// y = x Wᵀ + b, or without b.
#pragma once

#include "yona/nn/module.h"
#include "yona/tensor/ops/linear.h"

namespace yona {

enum class Biases : bool { no, yes };

class Linear : public Module {
 public:
  Linear(std::int64_t in, std::int64_t out, Biases biases = Biases::yes) {
    weight_.shape = Shape{out, in};
    weight_.init = Init::xavier;
    add("weight", weight_);
    if (biases == Biases::yes) {
      bias_.shape = Shape{out};
      add("bias", bias_);
    }
  }

  Tensor operator()(const Tensor& x, Context& c, const LinearOptions& options = {}) const {
    return linear(x, weight_.value, bias_.value, options, c);  // [T, out]
  }
  Ragged operator()(const Ragged& x, Context& c, const LinearOptions& options = {}) const {
    return x.with((*this)(x.values, c, options));
  }

  const Tensor& weight() const { return weight_.value; }
  const Tensor& bias() const { return bias_.value; }

 private:
  Parameter weight_, bias_;  // without biases, bias_ stays empty
};

}  // namespace yona
