// What the two kinds of figure share: the frame, the text, the escaping. The heat maps.

#include "yona/inspect/svg.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "yona/base/error.h"
#include "yona/inspect/svg_canvas.h"

namespace yona {

namespace {

constexpr float kLeastCellWeight = 1.0F / 512;  // below it a cell is as good as white
constexpr std::int64_t kMostCells = 400000;
constexpr double kPanelGap = 14;
constexpr std::string_view kInk = "#08306b";

std::int64_t visible_cells(const std::vector<HeatMap>& maps) {
  std::int64_t cells = 0;
  for (const HeatMap& map : maps) {
    cells += std::count_if(map.weights.begin(), map.weights.end(),
                           [](float weight) { return weight >= kLeastCellWeight; });
  }
  return cells;
}

struct Place {
  double x = 0, y = 0, cell = 0;
};

void add_cells(SvgCanvas& canvas, const HeatMap& map, const Place& place) {
  const double width = place.cell * static_cast<double>(map.columns.size());
  const double height = place.cell * static_cast<double>(map.rows.size());
  canvas.add("<g fill=\"{}\">\n", kInk);
  for (std::size_t row = 0; row < map.rows.size(); ++row) {
    for (std::size_t column = 0; column < map.columns.size(); ++column) {
      if (const float weight = map.at(row, column); weight >= kLeastCellWeight) {
        canvas.add(
            "<rect x=\"{:.6g}\" y=\"{:.6g}\" width=\"{:.6g}\" height=\"{:.6g}\" "
            "fill-opacity=\"{:.3g}\"/>\n",
            place.x + static_cast<double>(column) * place.cell,
            place.y + static_cast<double>(row) * place.cell, place.cell, place.cell,
            std::min(weight, 1.0F));
      }
    }
  }
  canvas.add(
      "</g>\n<rect x=\"{:.6g}\" y=\"{:.6g}\" width=\"{:.6g}\" height=\"{:.6g}\" "
      "fill=\"none\" stroke=\"#888\" stroke-width=\"0.6\"/>\n",
      place.x, place.y, width, height);
}

// From nothing to all, with its ends named.
void add_scale(SvgCanvas& canvas, double x, double y) {
  constexpr int kSteps = 5;
  canvas.text("0", {.x = x, .y = y + 9, .size = 10, .anchor = "start"});
  for (int step = 0; step <= kSteps; ++step) {
    canvas.add(
        "<rect x=\"{:.6g}\" y=\"{:.6g}\" width=\"14\" height=\"10\" fill=\"{}\" "
        "fill-opacity=\"{:.3g}\" stroke=\"#ccc\" stroke-width=\"0.4\"/>\n",
        x + 10 + step * 14, y, kInk, static_cast<double>(step) / kSteps);
  }
  canvas.text("1", {.x = x + 10 + (kSteps + 1) * 14 + 4, .y = y + 9, .size = 10});
}

std::string svg_single(const HeatMap& map) {
  const auto rows = static_cast<double>(map.rows.size());
  const auto columns = static_cast<double>(map.columns.size());
  const double cell = std::clamp(900 / std::max(rows, columns), 3.0, 20.0);
  const double font = std::clamp(cell * 0.72, 6.0, 12.0);
  const auto step = static_cast<std::size_t>(std::ceil(font / cell));  // every so manyth is named
  const double left = widest_label(map.rows, font) + 16;
  const double slant = widest_label(map.columns, font) * 0.71 + 10;
  const double top = 30 + slant + 6;
  SvgCanvas canvas;
  canvas.text(map.title, {.x = 10, .y = 20, .size = 14, .weight = "bold"});
  for (std::size_t row = 0; row < map.rows.size(); row += step) {
    canvas.text(map.rows[row], {.x = left - 6,
                                .y = top + (static_cast<double>(row) + 0.5) * cell + font * 0.35,
                                .size = font,
                                .anchor = "end"});
  }
  for (std::size_t column = 0; column < map.columns.size(); column += step) {
    const double x = left + (static_cast<double>(column) + 0.5) * cell;
    canvas.text(map.columns[column], {.x = x, .y = top - 6, .size = font, .turn = -45});
  }
  add_cells(canvas, map, {left, top, cell});
  const double bottom = top + rows * cell + 14;
  add_scale(canvas, left, bottom);
  const double title = text_width(map.title, 14) + 24;
  return canvas.finish(std::max({left + columns * cell + slant + 16, left + 130, title}),
                       bottom + 24);
}

// Panels in as many columns as the first layer has heads.
std::string svg_grid(const std::vector<HeatMap>& maps) {
  const HeatMap& first = maps.front();
  const auto rows = static_cast<double>(first.rows.size());
  const auto columns = static_cast<double>(first.columns.size());
  const double cell = std::clamp(150 / std::max(rows, columns), 0.5, 12.0);
  const double width = std::max(columns * cell, 92.0) + kPanelGap;
  const double height = rows * cell + kPanelGap + 16;
  const auto layer_of = [](const HeatMap& map) { return map.place.substr(0, map.place.find(',')); };
  const auto across =
      static_cast<std::size_t>(std::count_if(maps.begin(), maps.end(), [&](const HeatMap& map) {
        return layer_of(map) == layer_of(first);
      }));
  SvgCanvas canvas;
  const std::string title = first.title.substr(0, first.title.find(','));
  canvas.text(title, {.x = kPanelGap, .y = 22, .size = 14, .weight = "bold"});
  for (std::size_t i = 0; i < maps.size(); ++i) {
    const std::size_t row = i / across, column = i % across;
    const double x = kPanelGap + static_cast<double>(column) * width;
    const double y = 36 + static_cast<double>(row) * height;
    canvas.text(maps[i].place, {.x = x, .y = y + 11, .size = 10});
    add_cells(canvas, maps[i], {x, y + 16, cell});
  }
  const std::size_t down = (maps.size() - 1) / across + 1;
  const double bottom = 36 + static_cast<double>(down) * height;
  add_scale(canvas, kPanelGap, bottom);
  return canvas.finish(std::max(kPanelGap + static_cast<double>(across) * width,
                                text_width(title, 14) + 2 * kPanelGap),
                       bottom + 24);
}

}  // namespace

std::string svg_matrix(const std::vector<HeatMap>& maps) {
  const std::int64_t cells = visible_cells(maps);
  check(cells <= kMostCells,
        "attention: a figure of {} cells is too large, {} at most; choose with --layer and --head, "
        "or a shorter sentence",
        cells, kMostCells);
  return maps.size() == 1 ? svg_single(maps.front()) : svg_grid(maps);
}

}  // namespace yona
