#include "yona/tensor/ops/gelu.h"

#include "yona/tensor/ops/rows.h"

namespace yona {

Tensor gelu(const Tensor& x, Context& c) {
  return map_rows(x, &Kernels::gelu, &Kernels::gelu_backward, Saves::input, c);
}

Tensor gelu_tanh(const Tensor& x, Context& c) {
  return map_rows(x, &Kernels::gelu_tanh, &Kernels::gelu_tanh_backward, Saves::input, c);
}

}  // namespace yona
