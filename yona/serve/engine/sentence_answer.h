// What an answer says of a translated sentence: its hypotheses with tokens and scores, alignments
// and attention.
#pragma once

#include <cstdint>
#include <string>

#include "yona/base/text_pieces.h"
#include "yona/decode/line_translator.h"
#include "yona/io/translation_model.h"
#include "yona/serve/service.h"

namespace yona::serve {

HypothesisText hypothesis_of(const LineTranslation& line, const Vocabulary& vocabulary);

// Adds links between the tokens of all parts, except those of </s>, whose id is `end`, on either
// side.
void add_alignment(const LineTranslation& line, std::int32_t end, HypothesisText& hypothesis);

// For a sentence in one part: what every head looked at while it was translated.
TextPieces attention_json(const TranslationModel& model, Backend& backend, const std::string& text,
                          Ids target);

}  // namespace yona::serve
