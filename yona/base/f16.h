// f32 → IEEE half precision; the other way is in dtype.h.
#pragma once

#include <cmath>
#include <cstdint>

namespace yona {

// Rounds to nearest even; beyond 65504 is infinity, NaN stays NaN.
inline std::uint16_t to_f16(float value) {
  const auto bits = __builtin_bit_cast(std::uint32_t, value);
  const std::uint32_t sign = (bits >> 16U) & 0x8000U;
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  constexpr std::uint32_t kInfinity = 0x7f800000U;
  constexpr std::uint32_t kBeyond = 0x477ff000U;  // 65520, half way to the next power of two
  constexpr std::uint32_t kSmallestNormal = 0x38800000U;  // 2⁻¹⁴
  if (magnitude > kInfinity) {
    return static_cast<std::uint16_t>(sign | 0x7e00U);
  }
  if (magnitude >= kBeyond) {
    return static_cast<std::uint16_t>(sign | 0x7c00U);
  }
  if (magnitude < kSmallestNormal) {  // multiples of 2⁻²⁴
    const float steps = std::nearbyint(__builtin_bit_cast(float, magnitude) * 0x1p24F);
    return static_cast<std::uint16_t>(sign | static_cast<std::uint32_t>(steps));
  }
  const std::uint32_t rounded = magnitude + 0xfffU + ((magnitude >> 13U) & 1U);
  return static_cast<std::uint16_t>(sign | ((rounded >> 13U) - (112U << 10U)));
}

}  // namespace yona
