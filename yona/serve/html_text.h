// Text as HTML writes it: characters and their entities.
#pragma once

#include <string>
#include <string_view>

namespace yona::serve {

// What HTML takes for blanks: any number of them are one.
constexpr std::string_view kHtmlBlanks = " \t\r\n\f";

// &, < and > as entities.
std::string escaped_html(std::string_view text);

// Entities as characters: numbers, those of Latin-1 and the commonest others by name. What is not
// known stays as it is.
std::string unescaped_html(std::string_view text);

}  // namespace yona::serve
