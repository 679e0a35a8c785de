// How a kernel file puts its functions into its backend's table: by a static object in that file,
// so that there is no list to keep.
//
//   const Registration registration(BackendKind::reference, [](Kernels& table) {
//     table.softmax = softmax;
//   });
#pragma once

#include "yona/backend/kernels.h"

namespace yona {

enum class BackendKind { reference, cpu };

class Registration {
 public:
  using Fill = void (*)(Kernels& table);
  Registration(BackendKind kind, Fill fill);
};

// The finished tables. cpu starts as a copy of reference, so a missing CPU kernel falls back to it.
const Kernels& reference_kernels();
const Kernels& cpu_kernels();

}  // namespace yona
