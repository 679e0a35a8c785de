// Text as the metrics see it: a string of code points, with Python's idea of white space and case,
// because the published figures come from there. Classes and case mappings are ICU's.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace yona {

// Throws FormatError naming the byte where the text is not valid UTF-8.
std::u32string to_code_points(std::string_view utf8);
std::string to_utf8(std::u32string_view text);

// What str.split() and str.strip() take for white space: wider than the property White_Space by
// the separators U+001C to U+001F.
bool is_space(char32_t c);

std::u32string_view strip(std::u32string_view text);
std::u32string_view strip_right(std::u32string_view text);

// The words between white space; they point into `text`.
std::vector<std::u32string_view> split(std::u32string_view text);

// Full case mapping in no particular language: İ becomes two code points, Σ at a word's end ς.
std::u32string to_lower(std::u32string_view text);

bool is_number(char32_t c);       // \p{N}
bool is_punctuation(char32_t c);  // \p{P}
bool is_symbol(char32_t c);       // \p{S}

}  // namespace yona
