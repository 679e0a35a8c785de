// EVALB's figures of a model's parses against the trees of a treebank.
#pragma once

#include <string>
#include <vector>

#include "yona/train/progress.h"
#include "yona/trees/tree.h"

namespace yona {

// The names that train.valid_metrics knows: f1, complete (match) and tags (tagging accuracy).
std::vector<std::string> parsing_figure_names();

// One figure for each name, in their order; all in percent. As many parses as gold trees.
std::vector<ValidationFigure> parsing_figures(const std::vector<std::string>& names,
                                              const std::vector<Tree>& parses,
                                              const std::vector<Tree>& gold);

}  // namespace yona
