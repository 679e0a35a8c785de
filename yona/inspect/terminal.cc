#include "yona/inspect/terminal.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "yona/text/display.h"

namespace yona {

namespace {

constexpr std::int64_t kLongestRowLabel = 16;
constexpr std::int64_t kLongestColumnLabel = 12;
constexpr int kLeastColumns = 20;

// Weights near zero are the most common and should not look like nothing at all, so shades follow
// the square root.
double shade(float weight) { return std::sqrt(std::clamp(double{weight}, 0.0, 1.0)); }

std::string repeated(std::string_view text, std::int64_t times) {
  std::string out;
  for (std::int64_t i = 0; i < times; ++i) {
    out += text;
  }
  return out;
}

std::string padded(const std::string& text, std::int64_t width) {
  return text + repeated(" ", width - display_width(text));
}

std::string padded_left(const std::string& text, std::int64_t width) {
  return repeated(" ", width - display_width(text)) + text;
}

// From the terminal's black to a warm white, by way of blue and red: as bright as the weight.
struct Rgb {
  int r = 0, g = 0, b = 0;
};
Rgb colour_of(double level) {
  constexpr std::array<Rgb, 5> kStops = {
      {{24, 24, 32}, {59, 28, 110}, {160, 40, 110}, {237, 105, 37}, {252, 232, 140}}};
  const double place = level * (kStops.size() - 1);
  const auto from = std::min(static_cast<std::size_t>(place), kStops.size() - 2);
  const double share = place - static_cast<double>(from);
  const auto mixed = [share](int a, int b) {
    return static_cast<int>(std::lround(a + share * (b - a)));
  };
  const Rgb& a = kStops[from];
  const Rgb& b = kStops[from + 1];
  return {mixed(a.r, b.r), mixed(a.g, b.g), mixed(a.b, b.b)};
}

// The nearest of the 6 × 6 × 6 cube.
int palette_index(const Rgb& colour) {
  const auto step = [](int value) { return value < 48 ? 0 : value < 115 ? 1 : (value - 35) / 40; };
  return 16 + 36 * step(colour.r) + 6 * step(colour.g) + step(colour.b);
}

std::string cell(float weight, std::int64_t width, const TerminalStyle& style) {
  const double level = shade(weight);
  const Rgb rgb = colour_of(level);
  switch (style.colours) {
    case Colours::full:
      return fmt::format("\x1b[48;2;{};{};{}m{}\x1b[0m", rgb.r, rgb.g, rgb.b, repeated(" ", width));
    case Colours::palette:
      return fmt::format("\x1b[48;5;{}m{}\x1b[0m", palette_index(rgb), repeated(" ", width));
    case Colours::none:
      break;
  }
  constexpr std::array<std::string_view, 5> kBlocks = {" ", "░", "▒", "▓", "█"};
  constexpr std::array<std::string_view, 5> kLetters = {" ", ".", "+", "*", "#"};
  const auto index = static_cast<std::size_t>(std::lround(level * (kBlocks.size() - 1)));
  return repeated(style.unicode ? kBlocks[index] : kLetters[index], width);
}

std::vector<std::string> cut(const std::vector<std::string>& labels, std::int64_t most) {
  std::vector<std::string> out;
  out.reserve(labels.size());
  for (const std::string& label : labels) {
    out.push_back(cut_to_width(label, most));
  }
  return out;
}

std::int64_t widest(const std::vector<std::string>& labels) {
  std::int64_t width = 1;
  for (const std::string& label : labels) {
    width = std::max(width, display_width(label));
  }
  return width;
}

struct Panel {
  std::size_t begin = 0, end = 0;  // columns of the map
};

// As many columns to a panel as fit next to the row labels.
std::vector<Panel> panels_of(const std::vector<std::int64_t>& widths, std::int64_t room) {
  std::vector<Panel> panels;
  std::int64_t used = 0;
  for (std::size_t column = 0; column < widths.size(); ++column) {
    used += widths[column] + 1;
    if (panels.empty() || used > room) {
      panels.push_back({column, column});
      used = widths[column] + 1;
    }
    panels.back().end = column + 1;
  }
  return panels;
}

}  // namespace

TerminalStyle terminal_style(int descriptor) {
  const bool piped = terminal_colours(descriptor) == Colours::none;
  return {terminal_columns(descriptor), terminal_colours(descriptor), locale_is_utf8() || piped};
}

std::string draw_terminal(const HeatMap& map, const TerminalStyle& style) {
  const int columns = std::max(style.columns, kLeastColumns);
  const std::vector<std::string> rows = cut(map.rows, std::min<int>(kLongestRowLabel, columns / 3));
  const std::vector<std::string> heads =
      cut(map.columns, std::min<int>(kLongestColumnLabel, columns / 2));
  const std::int64_t margin = widest(rows);
  std::vector<std::int64_t> widths;
  widths.reserve(heads.size());
  for (const std::string& head : heads) {
    widths.push_back(std::max<std::int64_t>(display_width(head), 2));
  }
  std::string out = map.title.empty() ? "" : cut_to_width(map.title, columns) + "\n";
  for (const Panel& panel : panels_of(widths, columns - margin)) {
    out += repeated(" ", margin);
    for (std::size_t column = panel.begin; column < panel.end; ++column) {
      out += ' ';
      out += padded(heads[column], widths[column]);
    }
    out.erase(out.find_last_not_of(' ') + 1);
    out += "\n";
    for (std::size_t row = 0; row < rows.size(); ++row) {
      out += padded_left(rows[row], margin);
      for (std::size_t column = panel.begin; column < panel.end; ++column) {
        out += ' ';
        out += cell(map.at(row, column), widths[column], style);
      }
      out += "\n";
    }
  }
  return out;
}

}  // namespace yona
