// Which lengths the sentences of a batch have, as far as kernels care that are for some lengths
// only and need not be launched where no sentence has them. Known when a batch is made; the device
// is never asked.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace yona {

// Bit b: some have more than 2^(b-1) and at most 2^b tokens; bit 0: none or one.
using LengthClasses = std::uint64_t;

inline constexpr LengthClasses kAnyLengths = ~LengthClasses{0};  // nothing is known

constexpr LengthClasses length_class(std::int64_t length) {
  return LengthClasses{1} << std::bit_width(
             static_cast<std::uint64_t>(std::max(length, std::int64_t{1}) - 1));
}

// May some be up to `longest`, a power of two?
constexpr bool some_up_to(LengthClasses lengths, std::int64_t longest) {
  return (lengths & (2 * length_class(longest) - 1)) != 0;
}

// May some be longer than `from` and at most `to`, powers of two?
constexpr bool some_between(LengthClasses lengths, std::int64_t from, std::int64_t to) {
  return (lengths & (2 * length_class(to) - 2 * length_class(from))) != 0;
}

}  // namespace yona
