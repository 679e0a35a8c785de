// Treebank trees as parsers learn them and papers score them (Collins 1997; Vinyals et al. 2015,
// "Grammar as a Foreign Language"):
//   - traces and other empty elements (-NONE-) are removed, and constituents that they leave empty;
//   - function tags and indexes are cut off labels: NP-SBJ-1 and NP=2 become NP;
//   - an outer bracket without a label, or labelled TOP, ROOT or S1, is removed where it holds one
//     constituent, and is labelled TOP otherwise. So the root is always a constituent.
// Chains of constituents over the same words stay, and so do tags and words.
#pragma once

#include <string_view>

#include "yona/trees/tree.h"

namespace yona {

// The label of a root that was not in the treebank or in a model's output. EVALB ignores it.
inline constexpr std::string_view kTopLabel = "TOP";

// Empty where the tree has nothing but empty elements.
Tree normalised(const Tree& tree);

// "NP-SBJ-1" → "NP", "NP=2" → "NP"; "-LRB-" and "-NONE-" are whole labels.
std::string_view bare_label(std::string_view label);

}  // namespace yona
