// Lambda layers (Bello 2021): a linear map of each query, from the whole sentence and from the
// values around it, instead of weights over tokens.
#pragma once

#include "yona/tensor/context.h"
#include "yona/tensor/ragged.h"

namespace yona {

struct LambdaHeads {
  std::int64_t heads = 1;
  std::int64_t kv_heads = 0;  // of lambdas and v; divides heads; 0: as many
  std::int64_t d_k = 0;
  std::int64_t d_v = 0;
};

// q [T, h·d_k], v [T, h'·d_v], lambdas [S·d_k, h'·d_v], positions [2r+1, d_k] → [T, h·d_v]:
//   y_i = Λ_sᵀ q_i + Σ_δ (q_i·e_δ) v_(i+δ),  |δ| ≤ r, within each sentence (backend/lambda_args.h).
Tensor apply_lambdas(const Ragged& q, const Tensor& lambdas, const Tensor& v,
                     const Tensor& positions, const LambdaHeads& heads, Context& c);

}  // namespace yona
