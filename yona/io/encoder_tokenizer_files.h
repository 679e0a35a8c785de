// The tokeniser of an encoder's folder. Which files there are decides how it is read:
//
//   tokenizer.json          of WordPiece: pieces and how text is cleaned
//   vocab.txt               WordPiece, one piece a line; tokenizer_config.json says how to clean
//   vocab.json, merges.txt  RoBERTa: byte-level BPE
//   tokenizer.json          of BPE, where it alone is there
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "yona/io/encoder_folder.h"
#include "yona/text/encoder_tokenizer.h"
#include "yona/text/word_piece.h"

namespace yona {

// Throws IoError or FormatError naming the file.
EncoderTokenizer load_encoder_tokenizer(const std::filesystem::path& folder,
                                        const EncoderInfo& info);

// vocab.txt, tokenizer_config.json and special_tokens_map.json of a new WordPiece vocabulary, whose
// first pieces are bert_special_pieces(). Throws IoError.
void write_word_piece_files(const std::filesystem::path& folder,
                            const std::vector<std::string>& pieces,
                            const BertNormalisation& normalisation, std::int64_t max_length);

}  // namespace yona
