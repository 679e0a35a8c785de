// Lines between tokens, as in figures 3 to 5 of "Attention Is All You Need".

#include <algorithm>

#include <fmt/format.h>

#include "yona/base/error.h"
#include "yona/inspect/colour.h"
#include "yona/inspect/svg.h"
#include "yona/inspect/svg_canvas.h"

namespace yona {

namespace {

constexpr double kStep = 20;    // between tokens
constexpr double kReach = 220;  // between the columns
constexpr float kLeastLineWeight = 0.01F;
constexpr std::int64_t kMostLines = 100000;

struct Frame {
  double left = 0, top = 0;
  double gap = 0;  // between the lines of heads that go the same way
  double right() const { return left + kReach; }
  double y(std::int64_t index) const { return top + (static_cast<double>(index) + 0.5) * kStep; }
};

void add_tokens(SvgCanvas& canvas, const std::vector<std::string>& labels, double x,
                std::string_view anchor, const Frame& frame) {
  for (std::size_t i = 0; i < labels.size(); ++i) {
    canvas.text(
        labels[i],
        {.x = x, .y = frame.y(static_cast<std::int64_t>(i)) + 4, .size = 13, .anchor = anchor});
  }
}

std::int64_t add_lines(SvgCanvas& canvas, const AttentionMap& map, std::int64_t head,
                       std::optional<std::int64_t> token, const Frame& frame) {
  std::int64_t lines = 0;
  const double shift =
      (static_cast<double>(head) - static_cast<double>(map.heads - 1) / 2) * frame.gap;
  canvas.add("<g stroke=\"{}\" stroke-width=\"1.6\">\n", head_colour(head, map.heads));
  for (std::int64_t query = 0; query < map.queries; ++query) {
    const std::span<const float> row = map.row(head, query);
    for (std::int64_t key = 0; key < map.keys; ++key) {
      const float weight = row[static_cast<std::size_t>(key)];
      if (weight < kLeastLineWeight || (token && *token != query)) {
        continue;
      }
      canvas.add(
          "<line x1=\"{:.6g}\" y1=\"{:.6g}\" x2=\"{:.6g}\" y2=\"{:.6g}\" "
          "stroke-opacity=\"{:.3g}\"/>\n",
          frame.left, frame.y(key) + shift, frame.right(), frame.y(query) + shift,
          std::min(weight, 1.0F));
      ++lines;
    }
  }
  canvas.add("</g>\n");
  return lines;
}

// A square for each head that is shown; gives the height taken.
double add_legend(SvgCanvas& canvas, std::int64_t heads, const Frame& frame, double y) {
  constexpr std::int64_t kAcross = 8;
  for (std::int64_t head = 0; head < heads; ++head) {
    const std::int64_t line = head / kAcross, column = head % kAcross;
    const double x = frame.left + static_cast<double>(column) * 32;
    const double row = y + static_cast<double>(line) * 18;
    canvas.add("<rect x=\"{:.6g}\" y=\"{:.6g}\" width=\"12\" height=\"12\" fill=\"{}\"/>\n", x, row,
               head_colour(head, heads));
    canvas.text(std::to_string(head + 1), {.x = x + 15, .y = row + 10, .size = 10});
  }
  const std::int64_t lines = (heads - 1) / kAcross + 1;
  return static_cast<double>(lines) * 18;
}

}  // namespace

std::string svg_lines(const AttentionMaps& maps, const AttentionChoice& choice,
                      std::optional<std::int64_t> token) {
  check(choice.heads != AttentionChoice::Heads::mean,
        "attention: lines have a colour for each head; choose --head N or all, or --style matrix");
  check_choice(maps, choice);
  const AttentionMap& map =
      maps.at(choice.part, choice.layer.value_or(maps.layers(choice.part) - 1));
  check(!token || *token < map.queries, "attention: there is no token {}; there are {}", *token + 1,
        map.queries);
  const std::vector<std::string> keys = labels(maps.key_tokens(choice.part));
  const std::vector<std::string> queries = labels(maps.query_tokens(choice.part));
  const bool all = choice.heads == AttentionChoice::Heads::all;
  const std::string title = fmt::format("{}, layer {}{}", title_of(choice.part), map.layer + 1,
                                        all ? "" : fmt::format(", head {}", choice.head + 1));
  const double gap = all ? std::min(1.8, kStep / 2 / static_cast<double>(map.heads)) : 0.0;
  const Frame frame{widest_label(keys, 13) + 24, 36, gap};
  SvgCanvas canvas;
  canvas.text(title, {.x = 12, .y = 22, .size = 14, .weight = "bold"});
  std::int64_t lines = 0;
  for (std::int64_t head = 0; head < map.heads; ++head) {
    if (all || head == choice.head) {
      lines += add_lines(canvas, map, head, token, frame);
    }
  }
  check(lines <= kMostLines,
        "attention: a figure of {} lines is too large, {} at most; choose --head or --token", lines,
        kMostLines);
  add_tokens(canvas, keys, frame.left - 8, "end", frame);
  add_tokens(canvas, queries, frame.right() + 8, "start", frame);
  double bottom = frame.y(std::max(map.keys, map.queries)) + 4;
  if (all && map.heads > 1) {
    bottom += add_legend(canvas, map.heads, frame, bottom);
  }
  const double width = frame.right() + widest_label(queries, 13) + 24;
  return canvas.finish(std::max(width, text_width(title, 14) + 24), bottom + 8);
}

}  // namespace yona
