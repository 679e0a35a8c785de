#include "yona/generate/number_range.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace yona {

namespace {

bool all_are(std::string_view digits, char digit) {
  return digits.find_first_not_of(digit) == std::string_view::npos;
}

std::string any_digits(std::size_t count) {
  return count == 0 ? "" : fmt::format("[0-9]{{{}}}", count);
}

// Numbers of as many digits, from `low` to `high`.
void append_same_length(const std::string& prefix, std::string_view low, std::string_view high,
                        std::vector<std::string>& out) {
  if (all_are(low, '0') && all_are(high, '9')) {
    out.push_back(prefix + any_digits(low.size()));
    return;
  }
  const std::string_view low_rest = low.substr(1), high_rest = high.substr(1);
  if (low[0] == high[0]) {
    append_same_length(prefix + low[0], low_rest, high_rest, out);
    return;
  }
  append_same_length(prefix + low[0], low_rest, std::string(low_rest.size(), '9'), out);
  if (low[0] + 1 < high[0]) {
    out.push_back(fmt::format("{}[{}-{}]{}", prefix, static_cast<char>(low[0] + 1),
                              static_cast<char>(high[0] - 1), any_digits(low_rest.size())));
  }
  append_same_length(prefix + high[0], std::string(high_rest.size(), '0'), high_rest, out);
}

// 0 ≤ low ≤ high; empty where low > high.
std::string digits_regex(std::int64_t low, std::int64_t high) {
  std::vector<std::string> parts;
  while (low <= high) {
    const std::string from = std::to_string(low);
    const std::int64_t last_of_length = std::stoll(std::string(from.size(), '9'));
    append_same_length("", from, std::to_string(std::min(high, last_of_length)), parts);
    low = last_of_length + 1;
  }
  return parts.empty() ? "" : fmt::format("(?:{})", fmt::join(parts, "|"));
}

// The numbers y ≥ 0 with low ≤ y ≤ high, as integers with a fraction.
struct Magnitudes {
  std::int64_t low, high;
  bool is_low_excluded, is_high_excluded;
};

void append_magnitudes(const std::string& sign, const Magnitudes& m,
                       std::vector<std::string>& out) {
  if (m.low > m.high || (m.low == m.high && (m.is_low_excluded || m.is_high_excluded))) {
    return;
  }
  std::int64_t whole = m.low;  // the first integer part that may have any fraction
  if (m.is_low_excluded) {
    out.push_back(fmt::format("{}{}\\.0{{0,14}}[1-9][0-9]{{0,15}}", sign, m.low));
    ++whole;
  }
  if (const std::string digits = digits_regex(whole, m.high - 1); !digits.empty()) {
    out.push_back(fmt::format("{}{}(?:\\.[0-9]{{1,16}})?", sign, digits));
  }
  if (!m.is_high_excluded) {
    out.push_back(fmt::format("{}{}(?:\\.0{{1,16}})?", sign, m.high));
  }
}

std::optional<std::string> joined(const std::vector<std::string>& parts) {
  if (parts.empty()) {
    return std::nullopt;
  }
  return fmt::format("{}", fmt::join(parts, "|"));
}

}  // namespace

std::optional<std::string> integer_range_regex(const NumberBounds& bounds) {
  const std::int64_t least = bounds.least + (bounds.is_least_excluded ? 1 : 0);
  const std::int64_t most = bounds.most - (bounds.is_most_excluded ? 1 : 0);
  std::vector<std::string> parts;
  if (const std::string digits = digits_regex(std::max<std::int64_t>(1, -most), -least);
      !digits.empty()) {
    parts.push_back("-" + digits);
  }
  if (const std::string digits = digits_regex(std::max<std::int64_t>(0, least), most);
      !digits.empty()) {
    parts.push_back(digits);
  }
  return joined(parts);
}

std::optional<std::string> number_range_regex(const NumberBounds& bounds) {
  std::vector<std::string> parts;
  const bool is_zero_the_least = bounds.least < 0;
  append_magnitudes("",
                    {std::max<std::int64_t>(0, bounds.least), bounds.most,
                     bounds.is_least_excluded && !is_zero_the_least, bounds.is_most_excluded},
                    parts);
  if (bounds.least < 0) {
    append_magnitudes("-",
                      {std::max<std::int64_t>(0, -bounds.most), -bounds.least,
                       bounds.is_most_excluded && bounds.most <= 0, bounds.is_least_excluded},
                      parts);
  }
  return joined(parts);
}

}  // namespace yona
