// What kernels are given: lambda layers (Bello 2021). Conventions are in kernel_args.h.
#pragma once

#include <cstdint>

#include "yona/backend/view.h"

namespace yona {

// For every token i of sentence s and every head: a linear map of its query, which is what the
// keys and values say (one for the sentence), and what the values within `reach` tokens say:
//   y_i = Λ_sᵀ q_i + Σ_δ (q_i·e_δ) v_(i+δ),   δ from -reach to reach, within the sentence
// Heads of values are read by heads_per_kv heads of queries each.
struct LambdaArgs {
  View q{}, v{};     // [T, h·d_k], [T, h'·d_v]
  View lambdas{};    // Λ: [S·d_k, h'·d_v]
  View positions{};  // e: [2·reach + 1, d_k], of all heads
  View y{};          // [T, h·d_v]; unused backward
  const std::int64_t* offsets = nullptr;
  std::int64_t sentences = 0;
  std::int64_t heads = 1;
  std::int64_t heads_per_kv = 1;
  std::int64_t d_k = 0;
  std::int64_t d_v = 0;

  std::int64_t reach() const { return positions.rows / 2; }
  std::int64_t kv_heads() const { return heads / heads_per_kv; }
};

// dpositions is added to.
struct LambdaBackwardArgs {
  LambdaArgs forward{};
  View dy{};
  View dq{}, dv{}, dlambdas{}, dpositions{};
  bool accumulate_dq = false, accumulate_dv = false, accumulate_dlambdas = false;
};

}  // namespace yona
