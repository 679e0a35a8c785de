// The rules for European text that mteval-v13a.pl brought, and that the tokenisers 13a and zh of
// BLEU and the normalisation of TER share.
#pragma once

#include <string>
#include <string_view>

namespace yona {

// &quot; &amp; &lt; and &gt; become the characters, in this order: &amp;lt; ends as <.
void replace_entities(std::u32string& text);

// Spaces around ASCII punctuation and symbols, and around the space itself; not around ' , - and .
std::u32string space_ascii_punctuation(std::u32string_view text);

// Spaces around full stops and commas, unless they stand between digits, and around a hyphen that
// follows a digit.
std::u32string space_stops_and_hyphens(std::u32string_view text);

}  // namespace yona
