// Which tokens a Hugging Face folder adds to its pieces: by number in tokenizer_config.json or
// added_tokens.json, by name alone elsewhere.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "yona/base/json.h"
#include "yona/io/tokenizer_reader.h"

namespace yona {

// A file's object; an empty one where there is no file, or something else in it.
Json json_or_empty(const std::filesystem::path& path);

// Tokens with their ids: tokenizer_config.json's added_tokens_decoder, added_tokens.json. Throws
// FormatError naming the file for an id that is none.
std::vector<AddedToken> numbered_tokens(const std::filesystem::path& folder);
// Nothing where they name no more than every vocabulary has: transformers 5 leaves the languages of
// M2M100 out, which follow from the rest.
std::vector<AddedToken> beyond_core(std::vector<AddedToken> tokens);

// Names of special tokens beyond </s> and the like, in order, from whichever file has them.
struct AdditionalTokens {
  std::vector<std::string> names;
  bool by_transformers_5 = false;  // which has them under a key of its own
};
AdditionalTokens additional_tokens(const std::filesystem::path& folder);

}  // namespace yona
