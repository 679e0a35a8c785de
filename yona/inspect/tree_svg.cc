#include "yona/inspect/tree_svg.h"

#include <algorithm>
#include <cmath>

#include "yona/base/error.h"
#include "yona/inspect/svg_canvas.h"
#include "yona/text/display.h"
#include "yona/trees/tree_drawing.h"
#include "yona/trees/tree_layout.h"

namespace yona {

namespace {

constexpr double kTreeFont = 14;
constexpr double kTreeMargin = 16;
constexpr double kLevelHeight = 48;
constexpr double kWordOffset = 20;  // from a tag to its word
constexpr double kLineGap = 5;      // between text and the line below it
constexpr std::int64_t kNodeGap = 12;
constexpr std::int64_t kLongestTreeText = 40;

std::string figure_text(std::string_view text) {
  return cut_to_width(printable(text), kLongestTreeText);
}

std::int64_t pixels(std::string_view text) {
  const double width = std::ceil(text_width(figure_text(text), kTreeFont));
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(width));
}

std::int64_t node_pixels(const TreeNode& node) {
  return std::max(pixels(node.label), pixels(node.word));
}

double x_of(const NodePlace& place) { return kTreeMargin + static_cast<double>(place.centre); }

// The middle of a text, which is beside the node's centre where there is no room.
double x_of_text(const NodePlace& place, std::string_view text) {
  const std::int64_t width = pixels(text);
  return kTreeMargin + static_cast<double>(text_left(place, width)) +
         0.5 * static_cast<double>(width);
}

// The base line of a node's label.
double y_of(const NodePlace& place) {
  return kTreeMargin + kTreeFont + static_cast<double>(place.level) * kLevelHeight;
}

void add_node(SvgCanvas& canvas, const TreeNode& node, const NodePlace& place) {
  canvas.text(figure_text(node.label), {.x = x_of_text(place, node.label),
                                        .y = y_of(place),
                                        .size = kTreeFont,
                                        .anchor = "middle",
                                        .weight = node.is_leaf() ? "normal" : "bold",
                                        .colour = node.is_leaf() ? "#555" : "#1f4e8c"});
  if (node.is_leaf()) {
    canvas.text(figure_text(node.word), {.x = x_of_text(place, node.word),
                                         .y = y_of(place) + kWordOffset,
                                         .size = kTreeFont,
                                         .anchor = "middle"});
  }
}

void add_line(SvgCanvas& canvas, const NodePlace& parent, const NodePlace& child) {
  canvas.add("<line x1=\"{:.6g}\" y1=\"{:.6g}\" x2=\"{:.6g}\" y2=\"{:.6g}\" stroke=\"#999\"/>\n",
             x_of(parent), y_of(parent) + kLineGap, x_of(child), y_of(child) - kTreeFont);
}

}  // namespace

std::string svg_tree(const Tree& tree) {
  check(!tree.empty(), "tree: an empty tree has no figure");
  check_drawable(tree);
  const std::vector<TreeNode>& nodes = tree.nodes();
  const TreeLayout layout = tree_layout(tree, node_pixels, kNodeGap);
  SvgCanvas canvas;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (!nodes[i].is_leaf()) {
      for (std::size_t child = i + 1; child < nodes[i].end; child = nodes[child].end) {
        add_line(canvas, layout.places[i], layout.places[child]);
      }
    }
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    add_node(canvas, nodes[i], layout.places[i]);
  }
  return canvas.finish(2 * kTreeMargin + static_cast<double>(layout.width),
                       2 * kTreeMargin + kTreeFont + kWordOffset +
                           static_cast<double>(layout.levels - 1) * kLevelHeight);
}

}  // namespace yona
