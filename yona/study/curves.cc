#include "yona/study/curves.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace yona {

namespace {

// log(a / b) by log(x), where both curves have a point.
Curve log_ratios(const Curve& a, const Curve& b) {
  Curve ratios;
  for (const auto& [x, value] : a) {
    for (const auto& [other_x, other] : b) {
      if (other_x == x) {
        ratios.emplace_back(std::log(x), std::log(value / other));
      }
    }
  }
  std::sort(ratios.begin(), ratios.end());
  return ratios;
}

// To two digits.
double rounded(double value) {
  const double digit = std::pow(10.0, std::floor(std::log10(value)) - 1);
  return std::round(value / digit) * digit;
}

}  // namespace

Crossing crossing(const Curve& a, const Curve& b) {
  const Curve ratios = log_ratios(a, b);
  Crossing result;
  if (ratios.empty()) {
    return result;
  }
  result.first = std::exp(ratios.front().first);
  result.last = std::exp(ratios.back().first);
  result.ratio = std::exp(ratios.back().second);
  if (ratios.back().second >= 0) {
    result.kind = Crossing::Kind::not_at_end;
    return result;
  }
  result.kind = Crossing::Kind::always;
  for (std::size_t i = ratios.size() - 1; i > 0; --i) {
    const auto& [x0, y0] = ratios[i - 1];
    const auto& [x1, y1] = ratios[i];
    if (y0 >= 0) {
      result.kind = Crossing::Kind::from;
      result.at = std::exp(x0 + (x1 - x0) * y0 / (y0 - y1));
      break;
    }
  }
  return result;
}

std::string crossing_text(const Crossing& crossing, const CrossingWords& words) {
  const std::string share = fmt::format("{:.2f} {}", crossing.ratio, words.of_cost);
  const std::string last = fmt::format("{} = {:.0f}", words.x, crossing.last);
  switch (crossing.kind) {
    case Crossing::Kind::nowhere:
      return "was not compared";
    case Crossing::Kind::always:
      return fmt::format("is {} at every measured {} from {:.0f} on ({} at {})", words.lower,
                         words.x, crossing.first, share, last);
    case Crossing::Kind::from:
      return fmt::format("is {} from about {} = {:.0f} on ({} at {})", words.lower, words.x,
                         rounded(crossing.at), share, last);
    case Crossing::Kind::not_at_end:
      return fmt::format("is not {} at {}, the longest measured ({})", words.lower, last, share);
  }
  return "";
}

Growth growth_of(Curve curve) {
  if (curve.size() < 2) {
    return {};
  }
  std::sort(curve.begin(), curve.end());
  const auto& [last, last_value] = curve.back();
  const double middle = std::sqrt(curve.front().first * last);
  const auto from = std::find_if(curve.begin(), curve.end() - 2, [&](const auto& point) {
    return point.first >= middle * (1 - 1e-9);
  });
  const auto& [first, first_value] = *from;
  return {first, last, std::log(last_value / first_value) / std::log(last / first)};
}

}  // namespace yona
