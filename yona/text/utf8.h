// UTF-8 as RFC 3629 has it: no overlong forms, no surrogates, nothing above U+10FFFF.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace yona {

// True when every byte belongs to a well-formed character. NUL is a character like any other.
bool is_utf8(std::string_view text);

// The length in bytes (1 to 4) of the character at the front of `text`, which must not be empty;
// 1 for a byte that begins none, never more than what is there. Does not validate.
std::size_t utf8_length(std::string_view text);

// The text with every byte that belongs to no well-formed character replaced by U+FFFD.
std::string repaired_utf8(std::string_view text);

// The same with one U+FFFD for the longest beginning of a character that has no end, as the Unicode
// standard recommends (its 3.9) and Python and Rust do.
std::string lossy_utf8(std::string_view text);

// The character at the front of `text`, which must not be empty: of its first utf8_length() bytes;
// U+FFFD when they are not well-formed.
char32_t utf8_character(std::string_view text);

// Is there nothing but white space, as Unicode has it (tabs, U+00A0, U+3000 …)?
bool is_all_space(std::string_view text);

// All characters, each as by utf8_character().
std::u32string utf32_of(std::string_view text);

}  // namespace yona
