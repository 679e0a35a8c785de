// Sub-words trained on the corpora of a run: what happens when the user gives none.
#pragma once

#include <cstdint>
#include <vector>

#include "yona/data/corpus.h"
#include "yona/text/subword.h"
#include "yona/text/subword_training.h"

namespace yona {

enum class VocabularySharing : std::uint8_t { shared, separate };

// One model of both sides, or one for each. The corpora's tags are added to options.tags. Every
// line counts once, whatever the weights. Throws what PairReader and train_subword throw.
SubwordPair train_subwords(const std::vector<CorpusSpec>& corpora, SubwordTraining options,
                           VocabularySharing sharing = VocabularySharing::shared);

}  // namespace yona
