// The tokeniser of a language model's folder: tokenizer.json, or where there is none
// SentencePiece's tokenizer.model (Llama 2) or vocab.json and merges.txt (GPT-2).
#pragma once

#include <filesystem>

#include "yona/text/tokenizer/text_tokenizer.h"

namespace yona {

// `size` is the number of ids that the model has. Throws IoError or FormatError naming the file,
// and the step of a tokenizer.json that is not supported.
TextTokenizer load_tokenizer(const std::filesystem::path& folder, std::int64_t size);

// How many ids the folder's tokeniser uses: what a new model for it needs.
std::int64_t tokenizer_size(const std::filesystem::path& folder);

}  // namespace yona
