// What studies measure of an architecture that is trained to translate the built-in data.
#pragma once

#include <memory>
#include <string>
#include <vector>

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

// Which sentences of a test set are short, of middle length and long: about a third each, by the
// words of the source.
struct LengthGroup {
  std::int64_t shortest = 0, longest = 0;  // words, both included
  std::vector<std::size_t> sentences{};

  std::string name() const;  // "4-6 words"
};
std::vector<LengthGroup> length_groups(const Side& sources);

// Trains it: "pairs", "loss" on the validation set, and of greedy search on the test set "bleu" and
// "bleu by length": of each of the length groups in turn, "words" and "bleu".
Json measure_translation(const ContenderRun& contender, const TranslationStudy& study,
                         const StudySetting& setting);

// Floating-point operations of that training: those of its first update, times the updates.
double translation_flops(const ContenderRun& contender, const TranslationStudy& study);

}  // namespace yona
