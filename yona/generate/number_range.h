// Regular expressions of the decimal numbers within bounds, for a JSON schema's "minimum" and
// "maximum".
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace yona {

// Numbers with more digits before the point are not written.
inline constexpr std::int64_t kLargestWritten = 9'999'999'999'999'999;

struct NumberBounds {
  std::int64_t least = -kLargestWritten, most = kLargestWritten;
  bool is_least_excluded = false, is_most_excluded = false;
};

// Empty optional: there is none within the bounds.
std::optional<std::string> integer_range_regex(const NumberBounds& bounds);
// Without exponent, with up to 16 digits after the point.
std::optional<std::string> number_range_regex(const NumberBounds& bounds);

}  // namespace yona
