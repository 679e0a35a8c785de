// GELU (Hendrycks and Gimpel 2016): exact, x Φ(x) with Φ the normal distribution function, and by
// its formula with tanh, which T5 and GPT-2 are trained with.
#pragma once

#include <cuda_bf16.h>

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

// The same for results that are rounded to bf16, of which they cost the eighth part: with the
// hardware's exponential and reciprocal, and Φ(-|x|) = ½ p(t) exp(-x²/2), t = 1 / (1 + q |x|)
// (Abramowitz and Stegun 7.1.26), off by 1e-7 at most.
struct RoundedGelu {
  struct Normal {
    float cdf, scaled_density;  // Φ(x), √(2π) φ(x)
  };
  __device__ static Normal normal(float x) {
    constexpr float kSlope = 0.23164190F;  // 0.3275911 / √2
    const float t = __fdividef(1.0F, 1.0F + kSlope * fabsf(x));
    const float e = __expf(-0.5F * x * x);
    const float p =
        ((((1.061405429F * t - 1.453152027F) * t + 1.421413741F) * t - 0.284496736F) * t +
         0.254829592F) *
        t;
    const float tail = 0.5F * p * e;
    return {x < 0.0F ? tail : 1.0F - tail, e};
  }
  __device__ static float value(float x) { return x * normal(x).cdf; }
  __device__ static float slope(float x) {
    constexpr float kDensityAtZero = 0.3989422804014327F;
    const Normal n = normal(x);
    return n.cdf + x * (kDensityAtZero * n.scaled_density);
  }
};

struct RoundedGeluTanh {
  __device__ static float sigmoid(float x) {
    const float u = GeluTanh::kRoot * (x + GeluTanh::kCubic * x * x * x);
    return __fdividef(1.0F, 1.0F + __expf(-2.0F * u));
  }
  __device__ static float value(float x) { return x * sigmoid(x); }
  __device__ static float slope(float x) {
    const float s = sigmoid(x);
    return s +
           2.0F * x * s * (1.0F - s) * GeluTanh::kRoot * (1.0F + 3.0F * GeluTanh::kCubic * x * x);
  }
};

// Which of them computes a function whose results have type T.
template <class Function, class T>
struct ComputedAs {
  using Type = Function;
};
template <>
struct ComputedAs<Gelu, __nv_bfloat16> {
  using Type = RoundedGelu;
};
template <>
struct ComputedAs<GeluTanh, __nv_bfloat16> {
  using Type = RoundedGeluTanh;
};

}  // namespace yona::cuda
