// Texts as Python's str handles them: counted in characters, white space as Unicode has it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yona::jinja {

void append_utf8(char32_t character, std::string& out);  // U+FFFD for what is not one

// As str.isalpha(), isdigit(), isalnum() and isprintable() decide.
bool is_letter(char32_t character);
bool is_digit(char32_t character);
bool is_letter_or_number(char32_t character);
bool is_printable(char32_t character);
// Does it hold for all characters, of which there is at least one?
bool is_all(std::string_view text, bool (*holds)(char32_t));

// Without white space, or the characters of `of`, at the ends.
std::string_view stripped_left(std::string_view text, std::optional<std::string_view> of = {});
std::string_view stripped_right(std::string_view text, std::optional<std::string_view> of = {});
std::string_view stripped(std::string_view text, std::optional<std::string_view> of = {});

std::string upper(std::string_view text);
std::string lower(std::string_view text);
std::string title(std::string_view text);        // "Ab'S Cd_Ef", as str.title()
std::string title_words(std::string_view text);  // "Ab's Cd_ef", as Jinja's filter
std::string capitalized(std::string_view text);  // "Ab cd"

// most: splits, -1 for all. Without separator, at white space.
std::vector<std::string> split(std::string_view text, std::optional<std::string_view> separator,
                               std::int64_t most);
std::vector<std::string> split_from_right(std::string_view text,
                                          std::optional<std::string_view> separator,
                                          std::int64_t most);
std::vector<std::string> split_lines(std::string_view text);
// Where the part comes first or last; npos: nowhere. In linear time, unlike std::string's find().
std::size_t position_of(std::string_view text, std::string_view part);
std::size_t last_position_of(std::string_view text, std::string_view part);
// Throws TemplateError where the text becomes longer than kMostText.
std::string replaced(std::string_view text, std::string_view from, std::string_view to,
                     std::int64_t most);
// As MarkupSafe's escape(), with the same bound.
std::string markup_escaped(std::string_view text);

}  // namespace yona::jinja
