// Are the languages of a multilingual model known, before it translates?
#pragma once

#include "yona/decode/options.h"
#include "yona/io/translation_model.h"

namespace yona {

// mBART, mBART-50, M2M100, NLLB-200: one model, told by tokens what to translate into.
bool is_multilingual(const ModelInfo& info);

// Throws InvalidArgument, with the first of the languages that there are, when nothing says which
// one to translate into: neither --tgt-lang, nor the folder, nor a token that its search begins
// with.
void check_languages(const TranslationModel& model, const DecodeOptions& options);

// Throws InvalidArgument, naming the model's languages, when a model of one pair is asked for
// another one. "de" and "de-AT" are the same here; a model that does not know its languages takes
// any, and one that gets them as tokens or words checks them itself.
void check_pair(const TranslationModel& model, const Languages& asked);

}  // namespace yona
