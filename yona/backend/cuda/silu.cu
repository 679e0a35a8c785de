// SiLU (Elfwing et al. 2018; swish to others): x σ(x).

#include "yona/backend/cuda/common/map.cuh"
#include "yona/backend/cuda/runtime/registration.h"

namespace yona::cuda {

namespace {

// d/dx x σ(x) = σ(x) (1 + x (1 - σ(x)))
struct Silu {
  static constexpr const char* kName = "silu";
  static constexpr const char* kBackwardName = "silu_backward";
  __device__ static float sigmoid(float x) { return 1.0F / (1.0F + expf(-x)); }
  __device__ static float value(float x) { return x * sigmoid(x); }
  __device__ static float slope(float x) {
    const float s = sigmoid(x);
    return s * (1.0F + x * (1.0F - s));
  }
};

const Registration registration([](Kernels& table) {
  table.silu = map<Silu>;
  table.silu_backward = map_backward<Silu>;
});

}  // namespace
}  // namespace yona::cuda
