// y = x Wᵀ + b.
#pragma once

#include "yona/nn/module.h"
#include "yona/tensor/ops/linear.h"

namespace yona {

class Linear : public Module {
 public:
  Linear(std::int64_t in, std::int64_t out) {
    weight_.shape = Shape{out, in};
    weight_.init = Init::xavier;
    bias_.shape = Shape{out};
    add("weight", weight_);
    add("bias", bias_);
  }

  Tensor operator()(const Tensor& x, Context& c, const LinearOptions& options = {}) const {
    return linear(x, weight_.value, bias_.value, options, c);  // [T, out]
  }
  Ragged operator()(const Ragged& x, Context& c, const LinearOptions& options = {}) const {
    return x.with((*this)(x.values, c, options));
  }

 private:
  Parameter weight_, bias_;
};

}  // namespace yona
