// A figure of lines: SVG with real text, without any outside reference, for light and dark pages
// (it follows the reader's setting).
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace yona {

struct PlotSeries {
  std::string name;
  std::vector<std::pair<double, double>> points;  // in order of x; what is not finite is left out
};

enum class PlotScale : std::uint8_t { linear, log };

struct LinePlot {
  std::string title, x_label, y_label;
  PlotScale x_scale = PlotScale::linear;
  PlotScale y_scale = PlotScale::linear;
  std::vector<PlotSeries> series;
};

std::string svg_of(const LinePlot& plot);

// Round numbers within [low, high] that an axis shows: about five; on an axis of logarithms powers
// of ten, or where there are few of these powers of two, or of numbers below 1 their 1, 2 and 5
// times; and about five again where these are fewer than two.
std::vector<double> plot_ticks(double low, double high, PlotScale scale);

}  // namespace yona
