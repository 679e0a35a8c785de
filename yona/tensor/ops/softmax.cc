#include "yona/tensor/ops/softmax.h"

#include "yona/tensor/ops/rows.h"

namespace yona {

Tensor softmax(const Tensor& x, Context& c) {
  return map_rows(x, &Kernels::softmax, &Kernels::softmax_backward, Saves::output, c);
}

Tensor log_softmax(const Tensor& x, Context& c) {
  return map_rows(x, &Kernels::log_softmax, &Kernels::log_softmax_backward, Saves::output, c);
}

}  // namespace yona
