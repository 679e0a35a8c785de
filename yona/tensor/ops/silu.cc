#include "yona/tensor/ops/silu.h"

#include "yona/tensor/ops/rows.h"

namespace yona {

Tensor silu(const Tensor& x, Context& c) {
  return map_rows(x, &Kernels::silu, &Kernels::silu_backward, Saves::input, c);
}

}  // namespace yona
