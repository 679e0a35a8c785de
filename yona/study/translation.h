// What studies measure of an architecture that is trained to translate the built-in data.
#pragma once

#include <memory>

#include "yona/study/contenders.h"
#include "yona/study/word_pairs.h"

namespace yona {

struct TranslationStudy {
  std::shared_ptr<const WordPairs> corpus;
  std::int64_t pairs = 0;  // the first of the training set
  std::int64_t updates = 600;
};

// The Transformer that the others are compared with.
Seq2SeqConfig translation_config(const WordPairs& corpus);

// Trains it: "pairs", "loss" on the validation set, and "bleu" of greedy search on the test set.
Json measure_translation(const ContenderRun& contender, const TranslationStudy& study,
                         const StudySetting& setting);

// Floating-point operations of that training: those of its first update, times the updates.
double translation_flops(const ContenderRun& contender, const TranslationStudy& study);

}  // namespace yona
