// What kernels are given: products of backward passes. Conventions are in kernel_args.h.
#pragma once

#include <cstdint>
#include <span>

#include "yona/backend/elementwise_args.h"
#include "yona/backend/matmul_args.h"

namespace yona {

// dy ← dy ∘ [y > 0] · scale for relu (in place); bias_gradient += column sums of the result.
struct BiasActivationBackwardArgs {
  View y{}, dy{};
  View bias_gradient{};  // [1, n], optional
  Activation activation = Activation::none;
  float scale = 1.0F;  // of dropout after the activation: y > 0 exactly where it was kept
};

// dz = (dy · weight) ∘ [y > 0] · scale: the gradient behind a relu, with dropout after it, whose
// results y went on into a product with weightᵀ. bias_gradient += column sums of dz. The plain
// composition is matmul and bias_activation_backward.
struct ReluGradientProductArgs {
  View dy{}, weight{};   // [rows, k] and [k, n], as operands of matmul
  View y{}, dz{};        // [rows, n]
  View bias_gradient{};  // [1, n], optional
  float scale = 1.0F;
  Precision precision = Precision::f32;

  MatmulArgs product() const { return {.a = dy, .b = weight, .c = dz, .precision = precision}; }
  BiasActivationBackwardArgs gradient() const {
    return {.y = y,
            .dy = dz,
            .bias_gradient = bias_gradient,
            .activation = Activation::relu,
            .scale = scale};
  }
};

// dw (+)= dyᵀ · x, for several weights at once: a sum over tokens. No dw overlaps another. The
// plain composition is one matmul after another.
struct WeightGradient {
  View dy{}, x{};  // [tokens, rows of dw] and [tokens, its columns], as operands of matmul
  View dw{};
  bool accumulate = false;

  MatmulArgs product(Precision precision) const {
    return {.a = dy,
            .b = x,
            .c = dw,
            .transpose_a = true,
            .accumulate = accumulate,
            .precision = precision};
  }
};
struct WeightGradientsArgs {
  std::span<const WeightGradient> products;
  Precision precision = Precision::f32;
};

// What a kernel for several weights at once has its work in: tiles of dw, of which it computes so
// many at a time (Backend::weight_gradient_tiles()). They come in pairs, one below the other.
inline constexpr std::int64_t kWeightGradientRows = 256, kWeightGradientCols = 256;
constexpr std::int64_t weight_gradient_tiles(std::int64_t rows, std::int64_t cols) {
  return 2 * ((rows + kWeightGradientRows - 1) / kWeightGradientRows) *
         ((cols + kWeightGradientCols - 1) / kWeightGradientCols);
}

// x Φ(x), or by its formula with tanh.
enum class GeluForm : std::uint8_t { exact, tanh };

// dz = (dy · weight) ∘ gelu'(z): the gradient behind a GELU whose results went on into a product
// with weightᵀ. bias_gradient += column sums of dz. The plain composition is matmul, gelu_backward
// (or gelu_tanh_backward) and the sums of bias_activation_backward.
struct GeluGradientProductArgs {
  View dy{}, weight{};   // [rows, k] and [k, n], as operands of matmul
  View z{}, dz{};        // [rows, n]
  View bias_gradient{};  // [1, n], optional
  GeluForm form = GeluForm::exact;
  Precision precision = Precision::f32;

  MatmulArgs product() const { return {.a = dy, .b = weight, .c = dz, .precision = precision}; }
  RowsBackwardArgs slope() const { return {.saved = z, .dy = dz, .dx = dz}; }
  BiasActivationBackwardArgs sums() const {
    return {.y = {}, .dy = dz, .bias_gradient = bias_gradient};
  }
};

}  // namespace yona
