// The reference's kernels are templates over the element type: f32, and f64 for gradient tests.
// Sums are in double for every type: the reference defines the result and is not fast.
#pragma once

#include <string_view>

#include "yona/base/dtype.h"
#include "yona/base/error.h"

namespace yona::reference {

// Calls function(T{}) with the C++ type of dtype.
template <class Function>
void with_type(DType dtype, std::string_view kernel, const Function& function) {
  if (dtype == DType::f32) {
    function(float{});
  } else if (dtype == DType::f64) {
    function(double{});
  } else {
    fail<NotImplemented>("{}: the reference backend has no kernel for {}", kernel, dtype);
  }
}

}  // namespace yona::reference
