// The model of a parsing run: its shape, the sub-words of the words, and the symbols of the trees.
#pragma once

#include <vector>

#include "yona/io/translation_model.h"
#include "yona/tasks/run_config.h"
#include "yona/text/pair_encoder.h"
#include "yona/train/task.h"
#include "yona/trees/tree.h"

namespace yona {

struct ParsingModel {
  PairEncoder encoder;
  ModelInfo info;
};

// Sub-words and symbols are those of the resumed run, or are made from the trees and saved in the
// run's folder. Throws as train_subword() does.
ParsingModel prepare_parsing_model(const RunConfig& config, const RunPlace& place,
                                   const std::vector<Tree>& trees);

// </s>, <unk>, the symbols of the trees in the order of the alphabet, <pad>.
Vocabulary symbol_vocabulary(const std::vector<Tree>& trees, LeafSymbol leaves);

}  // namespace yona
