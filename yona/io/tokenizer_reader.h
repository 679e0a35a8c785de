// tokenizer.json, the file of Hugging Face's tokenizers library, read: for folders in which it is
// the only description of their sub-words. tokenizer_json.h writes it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "yona/text/subword.h"

namespace yona {

// A piece with an id of its own, beside those of the model: language codes, <mask> …
struct AddedToken {
  std::string text;
  std::int32_t id = 0;
  bool special = true;                             // no text of its own
  bool strips_left = false, strips_right = false;  // takes white space beside it along
};

// A vocabulary of `size` pieces: those given, the added ones at their ids, and placeholders where
// the model has more ids than names. Throws FormatError naming `name` when an id is beyond `size`
// or already another piece's.
std::vector<std::string> completed_pieces(std::vector<std::string> pieces,
                                          const std::vector<AddedToken>& added, std::int64_t size,
                                          std::string_view name);
// What added tokens are to encoding and decoding. </s>, <s>, <pad> and <unk> written out in a text
// stay text; placeholders of the vocabulary have no text.
SpecialPieces special_pieces(const std::vector<AddedToken>& added, const Vocabulary& vocabulary);

// The tokens that a tokenizer.json adds, with their ids. Throws FormatError naming the file.
std::vector<AddedToken> read_added_tokens(const std::filesystem::path& path);

// The sub-words of a tokenizer.json whose model has `vocabulary_size` ids: BPE (byte-level or not)
// and unigram, with the steps that the supported families use. Throws FormatError naming the file
// and the step that is not known.
Subword read_tokenizer_json(const std::filesystem::path& path, std::int64_t vocabulary_size);

}  // namespace yona
