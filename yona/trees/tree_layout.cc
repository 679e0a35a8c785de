#include "yona/trees/tree_layout.h"

#include <algorithm>

namespace yona {

namespace {

std::int64_t width_of_children(const std::vector<TreeNode>& nodes,
                               const std::vector<NodePlace>& places, std::size_t node,
                               std::int64_t gap) {
  std::int64_t width = -gap;
  for (std::size_t i = node + 1; i < nodes[node].end; i = nodes[i].end) {
    width += places[i].width + gap;
  }
  return width;
}

// Children come after their parent, so one pass backwards meets them first.
void find_widths(const std::vector<TreeNode>& nodes, std::vector<NodePlace>& places,
                 const std::function<std::int64_t(const TreeNode&)>& measure, std::int64_t gap) {
  for (std::size_t i = nodes.size(); i-- > 0;) {
    places[i].width = measure(nodes[i]);
    if (!nodes[i].is_leaf()) {
      places[i].width = std::max(places[i].width, width_of_children(nodes, places, i, gap));
    }
  }
}

void place_children(const std::vector<TreeNode>& nodes, std::vector<NodePlace>& places,
                    std::int64_t gap) {
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].is_leaf()) {
      continue;
    }
    std::int64_t left =
        places[i].left + (places[i].width - width_of_children(nodes, places, i, gap)) / 2;
    for (std::size_t child = i + 1; child < nodes[i].end; child = nodes[child].end) {
      places[child].left = left;
      places[child].level = places[i].level + 1;
      left += places[child].width + gap;
    }
  }
}

void find_centres(const std::vector<TreeNode>& nodes, std::vector<NodePlace>& places) {
  for (std::size_t i = nodes.size(); i-- > 0;) {
    if (nodes[i].is_leaf()) {
      places[i].centre = places[i].left + places[i].width / 2;
      continue;
    }
    std::size_t last = i + 1;
    while (nodes[last].end < nodes[i].end) {
      last = nodes[last].end;
    }
    places[i].centre = (places[i + 1].centre + places[last].centre) / 2;
  }
}

}  // namespace

TreeLayout tree_layout(const Tree& tree,
                       const std::function<std::int64_t(const TreeNode&)>& measure,
                       std::int64_t gap) {
  TreeLayout layout;
  const std::vector<TreeNode>& nodes = tree.nodes();
  layout.places.resize(nodes.size());
  find_widths(nodes, layout.places, measure, gap);
  place_children(nodes, layout.places, gap);
  find_centres(nodes, layout.places);
  for (const NodePlace& place : layout.places) {
    layout.levels = std::max(layout.levels, place.level + 1);
  }
  layout.width = nodes.empty() ? 0 : layout.places[0].width;
  return layout;
}

}  // namespace yona
