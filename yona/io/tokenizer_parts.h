// Parts of a tokenizer.json that its readers share (tokenizer_reader.h, causal_lm/lm_tokenizer.h).
#pragma once

#include <string_view>

#include "yona/base/json.h"
#include "yona/text/byte_level_bpe.h"
#include "yona/text/piece_bpe.h"

namespace yona {

// Is it a number that can be the id of a token?
bool is_token_id(const Json& value);

// How the BPE model of a file treats characters, words and what it does not know.
PieceBpeOptions piece_bpe_options(const Json& model);
// A ByteLevel step and the model after it. Throws FormatError naming `name` for marks inside or at
// the end of words, which the visible characters of bytes have no place for.
ByteLevelOptions byte_level_options(const Json& step, const Json& model, std::string_view name);
// What a Metaspace step writes before words. Older files have a flag for it.
WordPrefix word_prefix(const Json& metaspace);

// A number as tokenizers has it once it has read its shortest decimal form: the library multiplies
// or divides the digits by a power of ten, so that the last bit may be another one. Of sums that
// are almost equal, this bit decides which is the greater.
double as_tokenizers_reads(double number);

}  // namespace yona
