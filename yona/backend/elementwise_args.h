// What kernels are given: elementwise kernels. Conventions are in kernel_args.h.
#pragma once

#include "yona/backend/view.h"

namespace yona {

struct RowsArgs {  // softmax, log_softmax, gelu, silu, tanh, sigmoid: y from x row by row
  View x{}, y{};
};
// dx (+)= f'(…) dy; `saved` is y for softmax kinds, tanh and sigmoid, else x
struct RowsBackwardArgs {
  View saved{}, dy{}, dx{};
  bool accumulate = false;
};

struct AddArgs {       // y = alpha · a + beta · b; b optional
  View a{}, b{}, y{};  // f32 sums: b, or a without b, may be bf16
  float alpha = 1.0F;
  float beta = 1.0F;
};

struct MultiplyArgs {  // y (+)= a ∘ b; y may be a or b
  View a{}, b{}, y{};
  bool accumulate = false;
};

struct FillArgs {
  View y{};
  float value = 0.0F;
};

}  // namespace yona
