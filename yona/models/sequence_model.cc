#include "yona/models/sequence_model.h"

#include "yona/tensor/ops/linear.h"
#include "yona/tensor/ops/matmul.h"

namespace yona {

Tensor SequenceModel::logits(const Tensor& states, const OutputLayer& layer, Context& c) const {
  const Tensor scaled = projected_states(states, c);  // [T, d_model]
  return layer.bias ? linear(scaled, layer.weight, layer.bias, {}, c)
                    : matmul(scaled, layer.weight, Transpose::yes, c);  // [T, ids]
}

}  // namespace yona
