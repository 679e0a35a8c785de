// The hyperbolic tangent and the logistic function; their slopes follow from their values.

#include "yona/backend/cuda/common/map.cuh"
#include "yona/backend/cuda/runtime/registration.h"

namespace yona::cuda {

namespace {

struct Tanh {
  static constexpr const char* kName = "tanh";
  static constexpr const char* kBackwardName = "tanh_backward";
  __device__ static float value(float x) { return tanhf(x); }
  __device__ static float slope(float y) { return 1.0F - y * y; }
};

struct Sigmoid {
  static constexpr const char* kName = "sigmoid";
  static constexpr const char* kBackwardName = "sigmoid_backward";
  __device__ static float value(float x) { return 1.0F / (1.0F + expf(-x)); }
  __device__ static float slope(float y) { return y * (1.0F - y); }
};

const Registration registration([](Kernels& table) {
  table.tanh = map<Tanh>;
  table.tanh_backward = map_backward<Tanh>;
  table.sigmoid = map<Sigmoid>;
  table.sigmoid_backward = map_backward<Sigmoid>;
});

}  // namespace
}  // namespace yona::cuda
