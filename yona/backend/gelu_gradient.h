// gelu_gradient_product as the composition of a backend's other kernels.
#pragma once

#include "yona/backend/kernels.h"

namespace yona {

inline void compose_gelu_gradient(const Kernels& kernels, const GeluGradientProductArgs& args,
                                  Exec& exec) {
  kernels.matmul.function()(args.product(), exec);
  const bool exact = args.form == GeluForm::exact;
  (exact ? kernels.gelu_backward : kernels.gelu_tanh_backward).function()(args.slope(), exec);
  if (args.bias_gradient) {
    kernels.bias_activation_backward.function()(args.sums(), exec);
  }
}

}  // namespace yona
