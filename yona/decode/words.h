// Which word each token belongs to. Words are separated by blanks: one begins with a piece that
// begins with a blank (U+2581 in SentencePiece), or with the first piece. Repeated blanks do not
// make empty words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "yona/decode/hypothesis.h"
#include "yona/text/vocabulary.h"

namespace yona {

// For each id the number of its word, from 0; -1 for </s>, <pad> and blanks at the end, which are
// in none.
std::vector<std::int64_t> words_of(std::span<const std::int32_t> ids, const Vocabulary& vocabulary);

// How many words there are.
std::size_t count_words(std::span<const std::int64_t> words);

// The log-probability of each word: the sum of its tokens'.
std::vector<double> word_scores(const Hypothesis& hypothesis, const Vocabulary& vocabulary);

}  // namespace yona
