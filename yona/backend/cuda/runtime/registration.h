// How a CUDA kernel file puts its functions into the backend's table: by a static object in that
// file, as the host backends do (backend/registration.h), in a list of this library's own.
//
//   const Registration registration([](Kernels& table) { table.softmax = softmax; });
#pragma once

#include "yona/backend/kernels.h"

namespace yona::cuda {

class Registration {
 public:
  using Fill = void (*)(Kernels& table);
  explicit Registration(Fill fill);
};

// The finished table. It falls back to nothing: a kernel that is missing says so by name.
const Kernels& kernels();

}  // namespace yona::cuda
