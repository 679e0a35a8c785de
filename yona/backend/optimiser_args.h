// What kernels are given: an update of the weights. Conventions are in kernel_args.h.
#pragma once

#include "yona/backend/view.h"

namespace yona {

// out[0] = Σ x² in double, over fixed slices in a fixed order; NaN and infinity carry through.
struct SquaredNormArgs {
  View x{};
  double* out = nullptr;
};

// Adam on one flat range, with everything that happens to a weight in an update in one pass:
//   g = gradient · clip;  m = β1 m + (1-β1) g;  v = β2 v + (1-β2) g²
//   w -= rate · (m / correction1) / (√(v / correction2) + ε) + rate · decay · w
//   average = ema · average + (1-ema) · w          (when there)
// clip = min(1, clip_norm / √squared_norm), 1 when clip_norm is 0. When *squared_norm is not
// finite, nothing at all is changed.
struct AdamArgs {
  View weights{}, gradients{}, m{}, v{};
  View average{};  // optional
  View rounded{};  // optional: the new weights in bf16, as products read them
  const double* squared_norm = nullptr;
  float clip_norm = 0.0F;
  float rate = 0.0F, beta1 = 0.9F, beta2 = 0.98F, epsilon = 1e-9F, decay = 0.0F, ema = 0.0F;
  float correction1 = 1.0F, correction2 = 1.0F;
};

}  // namespace yona
