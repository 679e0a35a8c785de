#include "yona/inspect/colour.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

namespace yona {

namespace {

// Ten hues that differ also for most colour-blind readers (Tableau's), for up to ten heads.
constexpr std::array<std::string_view, 10> kTen = {"#1f77b4", "#ff7f0e", "#2ca02c", "#d62728",
                                                   "#9467bd", "#8c564b", "#e377c2", "#7f7f7f",
                                                   "#bcbd22", "#17becf"};

// HSL to RGB: channel n of hue, saturation and lightness (CSS Color 4, §7.1).
int channel(double n, double hue, double saturation, double lightness) {
  const double k = std::fmod(n + hue / 30, 12);
  const double a = saturation * std::min(lightness, 1 - lightness);
  const double value = lightness - a * std::max(-1.0, std::min({k - 3, 9 - k, 1.0}));
  return static_cast<int>(std::lround(255 * value));
}

}  // namespace

std::string head_colour(std::int64_t head, std::int64_t heads) {
  if (heads <= static_cast<std::int64_t>(kTen.size())) {
    return std::string(kTen.at(static_cast<std::size_t>(head)));
  }
  // Around the circle, every second one darker.
  const double hue = 360.0 * static_cast<double>(head) / static_cast<double>(heads);
  const double lightness = head % 2 == 0 ? 0.52 : 0.38;
  return fmt::format("#{:02x}{:02x}{:02x}", channel(0, hue, 0.7, lightness),
                     channel(8, hue, 0.7, lightness), channel(4, hue, 0.7, lightness));
}

}  // namespace yona
