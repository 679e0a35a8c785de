// Epilogues of forward products (gemm/stationary_linear.cuh and gemm/transposed_linear.cuh): what
// both know of the layer, and its bias.
#pragma once

#include <cuda_bf16.h>

#include "yona/backend/cuda/gemm/stationary.cuh"

namespace yona::cuda {

struct Linear {
  const __nv_bfloat16* bias = nullptr;  // [cols], or nothing
  int rows = 0;
  int cols = 0;
};

#ifdef YONA_HOPPER

namespace linear {

// The bias of a lane's two columns, of the consumer's from col on.
__device__ inline void load_bias(float (&bias)[2], const Linear& p, int col) {
  const int thread = static_cast<int>(threadIdx.x) % hopper::kWarpgroup;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    bias[half] =
        p.bias == nullptr
            ? 0.0F
            : __bfloat162float(p.bias[col + thread / 32 * 16 + half * 8 + thread % 32 / 4]);
  }
}

}  // namespace linear

#endif  // YONA_HOPPER

}  // namespace yona::cuda
