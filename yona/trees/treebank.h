// The trees of a treebank as a parser learns them, and the lines of text and symbols that a model
// reads and writes for them.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "yona/trees/linearise.h"
#include "yona/trees/tree.h"

namespace yona {

// All trees of the files, normalised (normalise.h); those of traces alone are left out. Throws
// FormatError where a file has no tree, and as TreeReader does.
std::vector<Tree> read_treebank(const std::vector<std::filesystem::path>& files);

// A sentence as the model reads it: its words with a space between them, as text and not as a tree
// writes them ("(" for -LRB-). A straight quote, which the Penn Treebank does not have, is `` and
// '' in turn.
std::string model_line(std::span<const std::string> words);

// A tree as the model writes it: its symbols with a space between them.
std::string symbol_line(const Tree& tree, LeafSymbol leaves);

// The tree over `words` that a line of symbols describes: see tree_from(). A placeholder for a
// word that is punctuation becomes its tag.
Tree tree_of_symbols(std::string_view line, std::span<const std::string> words);

}  // namespace yona
