// What kernels are given: attention by random features (Choromanski et al. 2021, FAVOR+).
// Conventions are in kernel_args.h.
#pragma once

#include "yona/backend/attention_args.h"

namespace yona {

// For every sentence and head, with x' = √scale · x:
//   out_i = Σ_j w_ij v_j / Σ_j w_ij,   w_ij = Σ_r exp(ω_r·q'_i) · exp(ω_r·k'_j - |k'_j|²/2)
// over the keys that the mask lets a query see: none or causal. So attention, with scores log w_ij;
// the factors 1/m and exp(-|q'_i|²/2) of the paper cancel. A query whose sum is below what f32
// holds, or that sees no key, gives zero and a log-sum of -infinity.
// Of `attention`, the prefix mask, pattern, bias and dropout are not used; sentences have at least
// as many keys as queries under a causal mask.
struct PerformerAttentionArgs {
  AttentionArgs attention{};
  View features{};  // ω: [m, d_k]
};

struct PerformerAttentionBackwardArgs {
  AttentionBackwardArgs attention{};
  View features{};
};

struct PerformerAttentionWeightsArgs {
  AttentionWeightsArgs attention{};
  View features{};
};

}  // namespace yona
