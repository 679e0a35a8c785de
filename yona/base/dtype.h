// Element types. f64 is used by the reference backend alone, for gradient tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include <fmt/format.h>

namespace yona {

enum class DType : std::uint8_t { f32, bf16, f16, f64, i64, i32, i8, u8 };

constexpr std::size_t size_of(DType dtype) {
  switch (dtype) {
    case DType::f64:
    case DType::i64:
      return 8;
    case DType::f32:
    case DType::i32:
      return 4;
    case DType::bf16:
    case DType::f16:
      return 2;
    case DType::i8:
    case DType::u8:
      return 1;
  }
  return 0;
}

constexpr std::string_view name_of(DType dtype) {
  switch (dtype) {
    case DType::f32:
      return "f32";
    case DType::bf16:
      return "bf16";
    case DType::f16:
      return "f16";
    case DType::f64:
      return "f64";
    case DType::i64:
      return "i64";
    case DType::i32:
      return "i32";
    case DType::i8:
      return "i8";
    case DType::u8:
      return "u8";
  }
  return "?";
}

// The C++ type to the DType, for checked access to data.
template <class T>
constexpr DType dtype_of() {
  if constexpr (std::is_same_v<T, float>) {
    return DType::f32;
  } else if constexpr (std::is_same_v<T, double>) {
    return DType::f64;
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    return DType::i64;
  } else if constexpr (std::is_same_v<T, std::int32_t>) {
    return DType::i32;
  } else if constexpr (std::is_same_v<T, std::int8_t>) {
    return DType::i8;
  } else if constexpr (std::is_same_v<T, std::uint8_t>) {
    return DType::u8;
  } else {
    static_assert(std::is_same_v<T, std::uint16_t>, "no DType for this C++ type");
    return DType::bf16;  // bf16 is handled as raw 16-bit words on the host
  }
}

// bf16 keeps the upper half of an f32; rounding is to nearest even, NaN stays NaN.
inline std::uint16_t to_bf16(float value) {
  const auto bits = __builtin_bit_cast(std::uint32_t, value);
  if ((bits & 0x7fffffffU) > 0x7f800000U) {
    return static_cast<std::uint16_t>((bits >> 16U) | 0x40U);
  }
  return static_cast<std::uint16_t>((bits + 0x7fffU + ((bits >> 16U) & 1U)) >> 16U);
}

inline float from_bf16(std::uint16_t value) {
  return __builtin_bit_cast(float, static_cast<std::uint32_t>(value) << 16U);
}

// IEEE half precision, exactly.
inline float from_f16(std::uint16_t value) {
  const std::uint32_t sign = (value & 0x8000U) << 16U;
  const std::uint32_t exponent = (value >> 10U) & 0x1fU;
  const std::uint32_t fraction = value & 0x3ffU;
  if (exponent == 0) {  // zero and subnormal: fraction · 2⁻²⁴
    const float magnitude = static_cast<float>(fraction) * 0x1p-24F;
    return __builtin_bit_cast(float, __builtin_bit_cast(std::uint32_t, magnitude) | sign);
  }
  const std::uint32_t wide = exponent == 31 ? 255 : exponent + 112;
  return __builtin_bit_cast(float, sign | (wide << 23U) | (fraction << 13U));
}

}  // namespace yona

template <>
struct fmt::formatter<yona::DType> : fmt::formatter<std::string_view> {
  template <class FormatContext>
  auto format(yona::DType dtype, FormatContext& context) const {
    return fmt::formatter<std::string_view>::format(yona::name_of(dtype), context);
  }
};
