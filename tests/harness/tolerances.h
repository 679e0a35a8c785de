// How close is equal: the one place where the tests' tolerances stand, each with its reason. The
// longer account, and what was measured against them, is docs/numerics.md.
#pragma once

namespace yona::testing {

// f64, two ways to compute the same thing: a few hundred roundings of 2⁻⁵³ apart.
inline constexpr double kExactF64 = 1e-11;

// Central differences in f64 with a step of 1e-5: truncation is of the order of the step squared
// times a third derivative (1e-10), cancellation 2⁻⁵³ / 1e-5 (1e-11); the rest is head-room for
// sums of many terms.
inline constexpr double kDifferenceStep = 1e-5;
inline constexpr double kFiniteDifference = 1e-7;

// f32, one op on another backend: sums of up to a thousand terms in another order, each rounded to
// 2⁻²⁴ (6e-8); relative to the largest element of the result.
inline constexpr double kBackendF32 = 2e-5;

// bf16 operands: a last bit of f32 that differs before an operand is rounded moves it by 2⁻⁸.
inline constexpr double kBackendBf16 = 1e-2;

// The whole model in f32 compared with PyTorch in f64: 1e-4 of each tensor's norm.
inline constexpr double kModelF32 = 1e-4;

// The same with bf16 operands in every product: 2⁻⁹ of relative rounding in each of some twenty
// products one after another, and rectifiers that open on the other side of zero. The gradient is
// compared as a whole: single small tensors may be farther.
inline constexpr double kModelLossBf16 = 5e-3;
inline constexpr double kModelGradientBf16 = 2e-1;

}  // namespace yona::testing
