#include "yona/tensor/ops/tanh.h"

#include "yona/tensor/ops/rows.h"

namespace yona {

Tensor tanh(const Tensor& x, Context& c) {
  return map_rows(x, &Kernels::tanh, &Kernels::tanh_backward, Saves::output, c);
}

Tensor sigmoid(const Tensor& x, Context& c) {
  return map_rows(x, &Kernels::sigmoid, &Kernels::sigmoid_backward, Saves::output, c);
}

}  // namespace yona
