#include "yona/trees/tree_drawing.h"

#include <algorithm>
#include <vector>

#include "yona/base/error.h"
#include "yona/text/display.h"
#include "yona/trees/tree_layout.h"

namespace yona {

namespace {

constexpr std::int64_t kWidestWord = 40;
constexpr std::int64_t kColumnsBetween = 2;

struct LineSet {
  const char *horizontal, *vertical, *first, *between, *last;  // of the line above children
  const char *parent, *parent_and_child;                       // where the parent's line meets it
  const char *branch, *last_branch, *stem;                     // of the outline
};

constexpr LineSet kBoxLines{"─", "│", "┌", "┬", "┐", "┴", "┼", "├─ ", "└─ ", "│  "};
constexpr LineSet kAsciiLines{"-", "|", ".", ".", ".", "+", "+", "|- ", "`- ", "|  "};

std::string drawn_text(std::string_view text) { return cut_to_width(printable(text), kWidestWord); }

// One row of a drawing, filled from left to right.
class DrawnRow {
 public:
  void put(std::int64_t column, std::string_view text) {
    text_.append(static_cast<std::size_t>(std::max<std::int64_t>(0, column - columns_)), ' ');
    text_ += text;
    columns_ = std::max(column, columns_) + display_width(text);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::int64_t columns_ = 0;
};

class TopDownDrawing {
 public:
  TopDownDrawing(const Tree& tree, const TreeLayout& layout, const LineSet& lines)
      : nodes_(tree.nodes()),
        layout_(layout),
        lines_(lines),
        rows_(static_cast<std::size_t>(2 * layout.levels)) {}

  std::string draw() {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      put_centred(i, 0, nodes_[i].label);
      if (nodes_[i].is_leaf()) {
        put_centred(i, 1, nodes_[i].word);
      } else {
        put_branches(i);
      }
    }
    std::string text;
    for (const DrawnRow& row : rows_) {
      text.append(row.text()).append("\n");
    }
    return text;
  }

 private:
  DrawnRow& row(std::size_t node, std::int64_t below) {
    return rows_[static_cast<std::size_t>(2 * layout_.places[node].level + below)];
  }

  void put_centred(std::size_t node, std::int64_t below, std::string_view text) {
    const std::string label = drawn_text(text);
    row(node, below).put(text_left(layout_.places[node], display_width(label)), label);
  }

  void put_branches(std::size_t node) {
    std::vector<std::int64_t> centres;
    for (std::size_t i = node + 1; i < nodes_[node].end; i = nodes_[i].end) {
      centres.push_back(layout_.places[i].centre);
    }
    const std::int64_t parent = layout_.places[node].centre;
    if (centres.size() == 1) {
      row(node, 1).put(parent, lines_.vertical);
      return;
    }
    auto child = centres.begin();
    for (std::int64_t column = centres.front(); column <= centres.back(); ++column) {
      const bool is_child = column == *child;
      row(node, 1).put(column, mark(column == centres.front(), column == centres.back(), is_child,
                                    column == parent));
      child += is_child ? 1 : 0;
    }
  }

  const char* mark(bool is_first, bool is_last, bool is_child, bool is_parent) const {
    if (is_first || is_last) {
      return is_first ? lines_.first : lines_.last;
    }
    if (is_parent) {
      return is_child ? lines_.parent_and_child : lines_.parent;
    }
    return is_child ? lines_.between : lines_.horizontal;
  }

  const std::vector<TreeNode>& nodes_;
  const TreeLayout& layout_;
  const LineSet& lines_;
  std::vector<DrawnRow> rows_;
};

std::string outline(const Tree& tree, const LineSet& lines) {
  const std::vector<TreeNode>& nodes = tree.nodes();
  std::string text;
  std::vector<std::size_t> ends;  // of the constituents around a node
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    while (!ends.empty() && ends.back() <= i) {
      ends.pop_back();
    }
    for (std::size_t level = 0; level + 1 < ends.size(); ++level) {
      text += ends[level + 1] < ends[level] ? lines.stem : "   ";
    }
    if (!ends.empty()) {
      text += nodes[i].end < ends.back() ? lines.branch : lines.last_branch;
    }
    text += drawn_text(nodes[i].label);
    if (nodes[i].is_leaf()) {
      text.append(" ").append(drawn_text(nodes[i].word));
    } else {
      ends.push_back(nodes[i].end);
    }
    text += "\n";
  }
  return text;
}

}  // namespace

void check_drawable(const Tree& tree) {
  check(tree.nodes().size() <= kMostDrawnNodes,
        "tree: there are {} nodes; drawings have {} at most, brackets have no limit",
        tree.nodes().size(), kMostDrawnNodes);
}

std::string drawn(const Tree& tree, const TreeDrawing& drawing) {
  check_drawable(tree);
  const LineSet& lines = drawing.lines == TreeLines::box ? kBoxLines : kAsciiLines;
  const auto measure = [](const TreeNode& node) {
    return std::max({std::int64_t{1}, display_width(drawn_text(node.label)),
                     display_width(drawn_text(node.word))});
  };
  const TreeLayout layout = tree_layout(tree, measure, kColumnsBetween);
  if (drawing.columns > 0 && layout.width > drawing.columns) {
    return outline(tree, lines);
  }
  return TopDownDrawing(tree, layout, lines).draw();
}

}  // namespace yona
