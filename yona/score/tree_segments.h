// Files of trees to be scored. One tree a line as EVALB reads them, an empty line where a parser
// gave none; or trees over several lines, as in a treebank's .mrg files.
#pragma once

#include "yona/score/segments.h"

namespace yona {

// Takes the lines of a file and gives one segment for each tree. When the first line that is not
// empty opens more brackets than it closes and lines after it are indented, the trees take several
// lines; an outer bracket without a label is then called TOP, which is not counted. Throws
// FormatError "gold.mrg:12: …" for brackets of that kind that are not trees.
NamedSegments tree_segments(NamedSegments file);

// Throws FormatError "gold.mrg:12: …" for a line that is not a tree: figures against it would mean
// nothing.
void check_gold_trees(const NamedSegments& file);

}  // namespace yona
