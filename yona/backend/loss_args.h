// What kernels are given: the loss of logits. Conventions are in kernel_args.h.
#pragma once

#include <cstdint>

#include "yona/backend/view.h"

namespace yona {

// Per row: with logits z, p = softmax(z), V columns, target t and smoothing ε,
//   q = (1-ε)·onehot(t) + ε/V;  loss = -Σ q log p;  nll = -log p_t;
// with `gradient`, z ← (p - q) · row_scale in place. losses [rows, 2] gets loss and nll.
struct CrossEntropyArgs {
  View logits{};
  const std::int32_t* targets = nullptr;
  const float* row_scale = nullptr;
  View losses{};
  float smoothing = 0.0F;
  bool gradient = false;
};

// R-Drop (Wu et al. 2021): two passes over the same rows. On top of the two cross-entropies,
//   kl = ½ (KL(p‖p') + KL(p'‖p)), weighted by alpha, is added to the loss of the first's row
// and to both gradients.
struct RDropArgs {
  CrossEntropyArgs first{}, second{};
  float alpha = 0.0F;
};

}  // namespace yona
