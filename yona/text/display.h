// Text as people see it: how many columns it takes in a terminal, cut to fit, and without
// characters that would do something instead of showing something.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace yona {

// Columns of UTF-8 text in a terminal: 2 for wide characters (CJK, most emoji), 0 for combining
// ones, as the C library's tables have it.
std::int64_t display_width(std::string_view text);

// The text, or as much of it as leaves room for "…" within `columns` (at least 1).
std::string cut_to_width(std::string_view text, std::int64_t columns);

// Control characters as their pictures (␛ for escape), so that no text can move a cursor or break
// a line; direction marks, and bytes that are not UTF-8, as "�".
std::string printable(std::string_view text);

// A sub-word piece as a label: without the mark of a word's beginning, printable; a byte piece that
// is an ASCII letter as that letter, special pieces as they are. The mark alone stays.
std::string piece_label(std::string_view piece);

}  // namespace yona
