// GELU (Hendrycks and Gimpel 2016): exact, x Φ(x) with Φ the normal distribution function, and by
// its formula with tanh, which T5 and GPT-2 are trained with.
#pragma once

namespace yona::cuda {

// d/dx x Φ(x) = Φ(x) + x φ(x)
struct Gelu {
  static constexpr const char* kName = "gelu";
  static constexpr const char* kBackwardName = "gelu_backward";
  __device__ static float value(float x) { return x * normcdff(x); }
  __device__ static float slope(float x) {
    constexpr float kDensityAtZero = 0.3989422804014327F;  // 1 / √(2π)
    return normcdff(x) + x * (kDensityAtZero * expf(-0.5F * x * x));
  }
};

// ½ x (1 + tanh u) = x s with s = σ(2u), u = √(2/π) (x + 0.044715 x³), which loses no digits where
// tanh u is near -1:  d/dx = s + 2 x s (1 - s) u'
struct GeluTanh {
  static constexpr const char* kName = "gelu_tanh";
  static constexpr const char* kBackwardName = "gelu_tanh_backward";
  static constexpr float kRoot = 0.7978845608028654F;  // √(2/π)
  static constexpr float kCubic = 0.044715F;
  __device__ static float sigmoid(float x) {
    return 1.0F / (1.0F + expf(-2.0F * kRoot * (x + kCubic * x * x * x)));
  }
  __device__ static float value(float x) { return x * sigmoid(x); }
  __device__ static float slope(float x) {
    const float s = sigmoid(x);
    return s + 2.0F * x * s * (1.0F - s) * kRoot * (1.0F + 3.0F * kCubic * x * x);
  }
};

}  // namespace yona::cuda
