// The score of a query and a key in attention by random features (backend/performer_args.h), by all
// lanes of a warp, each with some of the features.
#pragma once

#include "yona/backend/cuda/common/rows.cuh"

namespace yona::cuda {

// log Σ_r exp(ω_r·(q' + k')) - |k'|²/2, in every lane. `features` is [m, d_k].
template <class T>
__device__ float performer_score(const Rows<float>& features, int m, float root, const T* q,
                                 const T* k, int d_k, int lane) {
  float largest = -INFINITY;
  float total = 0.0F;
  for (int r = lane; r < m; r += kLanes) {
    const float* omega = features.row(r);
    float sum = 0.0F;
    for (int c = 0; c < d_k; ++c) {
      sum += omega[c] * (to_float(q[c]) + to_float(k[c]));
    }
    sum *= root;
    const float top = fmaxf(largest, sum);
    total = total * expf(largest - top) + expf(sum - top);
    largest = top;
  }
  const float top = warp_max(largest);
  total = warp_sum(total * expf(largest - top));
  float square = 0.0F;
  for (int c = lane; c < d_k; c += kLanes) {
    const float x = root * to_float(k[c]);
    square += x * x;
  }
  return top + logf(total) - warp_sum(square) / 2.0F;
}

}  // namespace yona::cuda
