// Texts in the forms that URLs and HTML forms have them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace yona::serve {

// Whether '+' is a space, as in forms, or itself, as in paths.
enum class Plus : std::uint8_t { plain, space };

// %41 becomes A; a % that begins no such thing stays.
std::string url_decoded(std::string_view text, Plus plus);

// "q=Hello+there&source=en" as names and values, in order; empty parts are left out.
std::vector<std::pair<std::string, std::string>> parse_form(std::string_view text);

// "application/json" of "Application/JSON; charset=utf-8".
std::string media_type(std::string_view header);

// The parameter of a header's value, by its name in lower case: `x "y"` of name in
// `form-data; name="x \"y\""`. Nothing where there is none, or the parameters are not well-formed
// up to it.
std::optional<std::string> header_parameter(std::string_view header, std::string_view name);

// Letters of ASCII alone.
std::string lower_case(std::string_view text);

}  // namespace yona::serve
