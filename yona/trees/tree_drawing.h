// Trees for a terminal, drawn from the root down where they fit its width:
//
//           S               and as an outline where they do not:   S
//      ┌────┴────┐                                                 ├─ NP
//     NP        VP                                                 │  ├─ DT the
//    ┌─┴──┐      │                                                 │  └─ NN cat
//   DT   NN     VBZ                                                └─ VP
//   the  cat  sleeps                                                  └─ VBZ sleeps
#pragma once

#include <cstdint>
#include <string>

#include "yona/trees/tree.h"

namespace yona {

enum class TreeLines : std::uint8_t { box, ascii };

struct TreeDrawing {
  std::int64_t columns = 80;  // 0: as many as it takes
  TreeLines lines = TreeLines::box;
};

// A drawing is for people: larger trees are refused.
inline constexpr std::size_t kMostDrawnNodes = 2000;

// Lines that end in LF, without control characters; long words are cut. Throws InvalidArgument for
// a tree of more than kMostDrawnNodes.
std::string drawn(const Tree& tree, const TreeDrawing& drawing = {});

// Throws the same, for every kind of drawing.
void check_drawable(const Tree& tree);

}  // namespace yona
