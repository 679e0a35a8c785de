// Results of a model in host memory.
#pragma once

#include <vector>

#include "yona/tensor/context.h"

namespace yona {

// The tensor's elements in f32, whatever its type.
inline std::vector<float> host_floats(const Tensor& tensor, Context& c) {
  if (tensor.dtype() == DType::f32) {
    return tensor.to_vector<float>();
  }
  const Tensor wide = c.empty(DType::f32, tensor.shape());
  c.kernels().add({.a = tensor.view(), .b = {}, .y = wide.view(), .alpha = 1.0F}, c.exec());
  return wide.to_vector<float>();
}

}  // namespace yona
