#include "yona/base/human.h"

#include <array>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

namespace yona {

namespace {

// Three digits of what is left after dividing by 1000 as often as the units go.
std::string scaled(std::int64_t value, std::string_view unit) {
  constexpr std::array<std::string_view, 6> kPrefixes{"", "k", "M", "G", "T", "P"};
  auto rest = static_cast<double>(value);
  std::size_t prefix = 0;
  while (std::abs(rest) >= 999.5 && prefix + 1 < kPrefixes.size()) {
    rest /= 1000.0;
    ++prefix;
  }
  if (prefix == 0) {
    return unit.empty() ? fmt::to_string(value) : fmt::format("{} {}", value, unit);
  }
  return fmt::format("{:.{}f} {}{}", rest, std::abs(rest) < 99.95 ? 1 : 0, kPrefixes.at(prefix),
                     unit);
}

}  // namespace

std::string grouped(std::int64_t value) {
  std::string digits = fmt::to_string(value);
  const std::size_t first = digits.front() == '-' ? 1 : 0;
  for (std::size_t i = digits.size(); i > first + 3; i -= 3) {
    digits.insert(i - 3, 1, ',');
  }
  return digits;
}

std::string counted(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", grouped(static_cast<std::int64_t>(count)), noun,
                     count == 1 ? "" : "s");
}

std::string short_count(std::int64_t value) { return scaled(value, ""); }

std::string short_bytes(std::int64_t bytes) { return scaled(bytes, "B"); }

std::string short_duration(double seconds) {
  if (!(seconds >= 0.0 && seconds < 1e12)) {
    return "?";
  }
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  const std::int64_t minutes = whole / 60;
  const std::int64_t hours = minutes / 60;
  if (whole < 60) {
    return fmt::format("{} s", whole);
  }
  if (hours == 0) {
    return fmt::format("{} min {:02} s", minutes, whole % 60);
  }
  if (hours < 48) {
    return fmt::format("{} h {:02} min", hours, minutes % 60);
  }
  return fmt::format("{} d {:02} h", hours / 24, hours % 24);
}

}  // namespace yona
