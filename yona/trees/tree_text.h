// Trees as text: brackets on one line, brackets over several lines, JSON. tree_drawing.h draws
// them.
#pragma once

#include <string>

#include "yona/base/json.h"
#include "yona/trees/tree.h"

namespace yona {

// "(S (NP (DT the) (NN cat)) (VP (VBZ sleeps)))", as EVALB reads it; "" for the empty tree.
std::string to_brackets(const Tree& tree);

// The same over several lines, two spaces further in for each level up to kDeepestIndent:
//   (S
//     (NP (DT the) (NN cat))
//     (VP (VBZ sleeps)))
// No line break at the end. TreeReader reads it back.
inline constexpr std::size_t kDeepestIndent = 100;
std::string to_indented(const Tree& tree);

// {"tree": "(S …)", "words": […], "tags": […],
//  "constituents": [{"label": "S", "begin": 0, "end": 3}, …]} with [begin, end) in words, outer
//  ones
// first. Flat, so that a deep tree is not deep JSON. Words are as in the tree, escapes included.
Json to_json(const Tree& tree);

}  // namespace yona
