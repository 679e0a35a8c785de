// Where the nodes of a tree are drawn: the words from left to right, each constituent in the middle
// above its children. The unit is whatever the labels are measured in: columns of a terminal,
// pixels.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "yona/trees/tree.h"

namespace yona {

struct NodePlace {
  std::int64_t left = 0, width = 0;  // of the node and everything below it
  std::int64_t centre = 0;           // where lines meet
  std::int64_t level = 0;            // 0: the root
};

// Where a text of this width begins: around the centre, inside of the node's own room.
inline std::int64_t text_left(const NodePlace& place, std::int64_t width) {
  return std::clamp(place.centre - width / 2, place.left, place.left + place.width - width);
}

struct TreeLayout {
  std::vector<NodePlace> places;  // by node
  std::int64_t width = 0;
  std::int64_t levels = 0;
};

// `measure` gives the width of a node's own text, at least 1.
TreeLayout tree_layout(const Tree& tree,
                       const std::function<std::int64_t(const TreeNode&)>& measure,
                       std::int64_t gap);

}  // namespace yona
