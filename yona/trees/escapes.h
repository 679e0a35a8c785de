// Words as a treebank writes them: a bracket in a word would be read as one of the tree, so "(" is
// -LRB- and ")" is -RRB-. The Penn Treebank escapes [ ] { } / and * too.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace yona {

// "(" → "-LRB-", "f(x)" → "f-LRB-x-RRB-". Other characters are left as they are.
std::string escaped_word(std::string_view word);

// The word as text: "-LRB-" → "(", "-RSB-" → "]", "1\/2" → "1/2", "f-LRB-x-RRB-" → "f(x)".
std::string plain_word(std::string_view word);

// The white space that ends a word of a tree: ASCII's.
bool is_tree_space(char c);

// Can this be a label, a tag or a word: not empty, UTF-8, without white space and brackets?
bool is_tree_atom(std::string_view text);

// The Penn Treebank's tag of a word that is punctuation: "," for a comma, "." for ". ! ?", ":" for
// ": ; - -- ...", "``" and "''" for quotes, "-LRB-" and "-RRB-" for brackets. EVALB leaves words
// out by their tags, so a tree whose tags are placeholders needs these to be comparable.
std::optional<std::string_view> punctuation_tag(std::string_view word);

}  // namespace yona
