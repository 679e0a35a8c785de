// A constituency tree as a figure: SVG with real text, on white, without any outside reference.
#pragma once

#include <string>

#include "yona/trees/tree.h"

namespace yona {

// The root above, the words below their tags. Throws InvalidArgument for a tree that is empty or
// has more nodes than a drawing shows (yona/trees/tree_drawing.h).
std::string svg_tree(const Tree& tree);

}  // namespace yona
