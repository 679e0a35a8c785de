// Attention in a terminal: a heat map whose columns are as wide as their tokens, shaded by colour
// or by blocks. What is wider than the terminal continues in further panels below.
#pragma once

#include <string>

#include "yona/base/terminal.h"
#include "yona/inspect/heat_map.h"

namespace yona {

struct TerminalStyle {
  int columns = 80;
  Colours colours = Colours::none;
  bool unicode = true;  // blocks ░▒▓█ where there are no colours; else ASCII
};

// What the stream behind the descriptor can show.
TerminalStyle terminal_style(int descriptor);

// Lines that each end in a line feed; none is wider than style.columns, unless that is under 20.
std::string draw_terminal(const HeatMap& map, const TerminalStyle& style);

}  // namespace yona
