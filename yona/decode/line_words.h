// Words of a translated line, whose parts were translated one by one: the words of its parts in a
// row.
#pragma once

#include <vector>

#include "yona/decode/alignment.h"
#include "yona/decode/line_translator.h"
#include "yona/decode/translation.h"

namespace yona {

// The log-probability of each word of the translation; see word_scores().
std::vector<double> line_word_scores(const LineTranslation& line, const Vocabulary& target);

// [target word][source word] of the whole line, from the attention of its parts: a word has no
// weight on the words of another part. Empty where no attention was asked for
// (DecodeOptions::alignments).
SoftAlignment line_alignment(const LineTranslation& line, const Vocabulary& source,
                             const Vocabulary& target);

// The line with everything that is known of it, in pieces of text instead of ids.
Translation translation_of(const LineTranslation& line, const Vocabulary& source,
                           const Vocabulary& target);

}  // namespace yona
