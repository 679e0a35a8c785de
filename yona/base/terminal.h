// What a stream of this process is shown on: how wide it is, and what it can show.
#pragma once

#include <cstdint>
#include <string>

namespace yona {

// The value of an environment variable; empty when it is not set.
std::string environment(const char* name);

// Does the environment ask for UTF-8? The first of LC_ALL, LC_CTYPE and LANG that is set decides.
bool locale_is_utf8();

// Columns of the terminal behind the descriptor; else COLUMNS, else 80.
int terminal_columns(int descriptor);

// palette: the 256 colours of xterm; full: 24 bits.
enum class Colours : std::uint8_t { none, palette, full };

// What the descriptor may be sent: none unless it is a terminal, NO_COLOR is empty (no-color.org)
// and TERM is neither dumb nor missing; full where COLORTERM says so.
Colours terminal_colours(int descriptor);

}  // namespace yona
