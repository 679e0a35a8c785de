// Regular expressions for constrained text: the syntax that Python's `re` and ECMAScript share. The
// whole text must match. Without states of their own: what depends on the text around it
// (look-around, word boundaries, back-references, flags) is refused by name.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "yona/generate/grammar.h"

namespace yona {

// How a character of the set is written in the text: in UTF-8, or as in a JSON string.
using AppendCharacters =
    std::function<Grammar::Node(Grammar&, Grammar::Node from, const CharacterSet& set)>;

struct RegexOptions {
  // search: any text may come before and after the match unless '^' and '$' say otherwise, as a
  // JSON schema's "pattern" is defined.
  enum class Match { whole, search };
  Match match = Match::whole;
  AppendCharacters append = {};  // empty: UTF-8
};

// Appends the texts that match to `from`; returns the node after them. Throws InvalidArgument that
// names the construct and its position.
Grammar::Node append_regex(Grammar& grammar, Grammar::Node from, std::string_view pattern,
                           const RegexOptions& options = {});

// The grammar of one expression, ready for TextConstraint.
Grammar regex_grammar(std::string_view pattern);

}  // namespace yona
