// tokenizer.json: a SentencePiece model in the words of Hugging Face's tokenizers library. Pegasus'
// own tokeniser class knows unigram models only; with this file every pre-norm model is read.
#pragma once

#include <string>
#include <string_view>

#include "yona/text/vocabulary.h"

namespace yona {

// The file's text for the SentencePiece model `spm` (the bytes of an .spm file, BPE or unigram)
// with the ids of `vocabulary`. Encoding is the same up to ties between merges that make the same
// piece, and to special pieces written out in the text, which tokenizers takes at their word.
// Throws FormatError when `spm` is not such a model; `name` is for messages.
std::string tokenizer_json(std::string_view spm, const Vocabulary& vocabulary,
                           std::string_view name = "sub-word model");

}  // namespace yona
