#include "yona/study/plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <string_view>

#include <fmt/format.h>

#include "yona/inspect/svg_canvas.h"

namespace yona {

namespace {

constexpr double kPlotWidth = 420, kPlotHeight = 260;
constexpr double kLegendLine = 24;
constexpr double kPlotLeft = 70, kPlotTop = 36, kPlotBottom = 48;

// Okabe and Ito's colours, which all readers can tell apart, and lighter ones on dark pages.
constexpr std::array<std::string_view, 8> kOnLight{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                   "#8a6d00", "#56b4e9", "#333333", "#7b3294"};
constexpr std::array<std::string_view, 8> kOnDark{"#56b4e9", "#ff9e4a", "#2fd6a3", "#f0a6cb",
                                                  "#e6c229", "#9fd8ff", "#dddddd", "#c79be0"};

// Lines that lie on each other are all seen where their dashes differ.
constexpr std::array<std::string_view, 3> kDashes{"none", "7 4", "2 3"};

double scaled_value(double value, PlotScale scale) {
  return scale == PlotScale::log ? std::log10(value) : value;
}

bool can_be_drawn(double value, PlotScale scale) {
  return std::isfinite(value) && (scale == PlotScale::linear || value > 0);
}

// Values of one axis and where they lie on it, as a share of its length.
struct PlotAxis {
  PlotScale scale = PlotScale::linear;
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void include(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  void finish() {
    if (!(low <= high)) {
      low = 0.5;
      high = 1;
    }
    if (scale == PlotScale::linear) {
      low = std::min(low, 0.0);
      high = high > low ? high : low + 1;
    } else if (low == high) {
      low /= 2;
      high *= 2;
    }
  }
  double share(double value) const {
    const double begin = scaled_value(low, scale);
    return (scaled_value(value, scale) - begin) / (scaled_value(high, scale) - begin);
  }
};

struct PlotFrame {
  PlotAxis x, y;
  double left(double value) const { return kPlotLeft + x.share(value) * kPlotWidth; }
  double top(double value) const { return kPlotTop + (1 - y.share(value)) * kPlotHeight; }
};

PlotFrame frame_of(const LinePlot& plot) {
  PlotFrame frame{{plot.x_scale}, {plot.y_scale}};
  for (const PlotSeries& series : plot.series) {
    for (const auto& [x, y] : series.points) {
      if (can_be_drawn(x, plot.x_scale) && can_be_drawn(y, plot.y_scale)) {
        frame.x.include(x);
        frame.y.include(y);
      }
    }
  }
  frame.x.finish();
  frame.y.finish();
  return frame;
}

std::string tick_label(double value) {
  constexpr double kThousand = 1000;
  if (value >= kThousand && std::fmod(value, kThousand) == 0.0) {
    return fmt::format("{:g}k", value / kThousand);
  }
  return fmt::format("{:.4g}", value);
}

std::string style_of(std::size_t count) {
  std::string light;
  std::string dark;
  for (std::size_t i = 0; i < count; ++i) {
    light += fmt::format(".s{0}{{stroke:{1};stroke-dasharray:{2}}}.f{0}{{fill:{1}}}", i,
                         kOnLight.at(i % 8), kDashes.at(i % kDashes.size()));
    dark += fmt::format(".s{0}{{stroke:{1}}}.f{0}{{fill:{1}}}", i, kOnDark.at(i % 8));
  }
  return fmt::format(
      "<style>text{{fill:#222}}rect{{fill:#fff}}.grid{{stroke:#ddd}}"
      ".line{{fill:none;stroke-width:2}}{}"
      "@media (prefers-color-scheme: dark){{text{{fill:#ddd}}rect{{fill:#16181d}}"
      ".grid{{stroke:#444}}{}}}</style>\n",
      light, dark);
}

void add_plot_text(SvgCanvas& canvas, std::string_view text, double x, double y, double size,
                   std::string_view anchor, double turn = 0) {
  canvas.text(text, {.x = x, .y = y, .size = size, .anchor = anchor, .turn = turn});
}

void add_axes(SvgCanvas& canvas, const LinePlot& plot, const PlotFrame& frame) {
  const double bottom = kPlotTop + kPlotHeight;
  for (const double x : plot_ticks(frame.x.low, frame.x.high, plot.x_scale)) {
    canvas.add("<line class=\"grid\" x1=\"{0:.1f}\" y1=\"{1}\" x2=\"{0:.1f}\" y2=\"{2}\"/>\n",
               frame.left(x), kPlotTop, bottom);
    add_plot_text(canvas, tick_label(x), frame.left(x), bottom + 16, 11, "middle");
  }
  for (const double y : plot_ticks(frame.y.low, frame.y.high, plot.y_scale)) {
    canvas.add("<line class=\"grid\" x1=\"{1}\" y1=\"{0:.1f}\" x2=\"{2}\" y2=\"{0:.1f}\"/>\n",
               frame.top(y), kPlotLeft, kPlotLeft + kPlotWidth);
    add_plot_text(canvas, tick_label(y), kPlotLeft - 6, frame.top(y) + 4, 11, "end");
  }
  add_plot_text(canvas, plot.title, kPlotLeft, 20, 14, "start");
  add_plot_text(canvas, plot.x_label, kPlotLeft + kPlotWidth / 2, bottom + 38, 12, "middle");
  add_plot_text(canvas, plot.y_label, 16, kPlotTop + kPlotHeight / 2, 12, "middle", -90);
}

void add_series(SvgCanvas& canvas, const LinePlot& plot, std::size_t index,
                const PlotFrame& frame) {
  std::string line;
  std::string dots;
  for (const auto& [x, y] : plot.series[index].points) {
    if (can_be_drawn(x, plot.x_scale) && can_be_drawn(y, plot.y_scale)) {
      line += fmt::format("{:.1f},{:.1f} ", frame.left(x), frame.top(y));
      dots += fmt::format("<circle class=\"f{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\"/>", index,
                          frame.left(x), frame.top(y));
    }
  }
  canvas.add("<polyline class=\"line s{}\" points=\"{}\"/>{}\n", index, line, dots);
  const double y = kPlotTop + 8 + 18 * static_cast<double>(index);
  const double x = kPlotLeft + kPlotWidth + 26;
  canvas.add(
      "<line class=\"line s{0}\" x1=\"{1}\" y1=\"{2}\" x2=\"{3}\" y2=\"{2}\"/>"
      "<circle class=\"f{0}\" cx=\"{4}\" cy=\"{2}\" r=\"4\"/>",
      index, x - kLegendLine / 2, y, x + kLegendLine / 2, x);
  add_plot_text(canvas, plot.series[index].name, x + kLegendLine / 2 + 6, y + 4, 12, "start");
}

std::vector<double> linear_ticks(double low, double high) {
  const double rough = (high - low) / 5;
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  const double factor = rough / power;
  const double step = power * (factor <= 1 ? 1 : factor <= 2 ? 2 : factor <= 5 ? 5 : 10);
  std::vector<double> ticks;
  for (double n = std::ceil(low / step); n * step <= high * (1 + 1e-9); ++n) {
    ticks.push_back(n * step);
  }
  return ticks;
}

// Those within [low, high], in order.
std::vector<double> multiples_of_powers(double base, std::initializer_list<double> multiples,
                                        double low, double high) {
  constexpr double kRounding = 1e-9;
  std::vector<double> found;
  const double first = std::floor(std::log(low) / std::log(base) + kRounding);
  for (double n = first; std::pow(base, n) <= high * (1 + kRounding); ++n) {
    for (const double multiple : multiples) {
      const double value = multiple * std::pow(base, n);
      if (value >= low * (1 - kRounding) && value <= high * (1 + kRounding)) {
        found.push_back(value);
      }
    }
  }
  return found;
}

}  // namespace

std::vector<double> plot_ticks(double low, double high, PlotScale scale) {
  if (scale == PlotScale::linear) {
    return linear_ticks(low, high);
  }
  std::vector<double> ticks;
  if (high / low >= 100) {
    ticks = multiples_of_powers(10, {1}, low, high);
  } else if (low >= 1) {
    ticks = multiples_of_powers(2, {1}, low, high);
  } else {
    ticks = multiples_of_powers(10, {1, 2, 5}, low, high);
  }
  return ticks.size() < 2 ? linear_ticks(low, high) : ticks;  // too narrow for powers
}

std::string svg_of(const LinePlot& plot) {
  const PlotFrame frame = frame_of(plot);
  std::vector<std::string> names;
  for (const PlotSeries& series : plot.series) {
    names.push_back(series.name);
  }
  const double width = kPlotLeft + kPlotWidth + 60 + widest_label(names, 12);
  const double height = kPlotTop + kPlotHeight + kPlotBottom;
  SvgCanvas canvas;
  canvas.add("{}", style_of(plot.series.size()));
  add_axes(canvas, plot, frame);
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    add_series(canvas, plot, i, frame);
  }
  return canvas.finish(width, height);
}

}  // namespace yona
