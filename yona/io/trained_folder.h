// A folder of a Hugging Face family whose model was trained on: its config.json and tokeniser as
// they were, with new weights, so that whatever loaded the old folder loads the new one.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "yona/base/json.h"
#include "yona/io/translation_model.h"

namespace yona {

// Copies the tokeniser's files and generation_config.json, those that are there, each replaced
// atomically. Throws IoError.
void copy_tokenizer_files(const std::filesystem::path& from, const std::filesystem::path& to);

// The names of the tokeniser's files that are there, without settings, which people edit.
std::vector<std::string> subword_files(const std::filesystem::path& folder);

// Names the content of a folder's tokeniser files, in text: equal for equal files, whatever
// languages keep_languages() wrote into them.
std::string tokenizer_identity(const std::filesystem::path& folder);

// Writes the languages into a folder's tokenizer_config.json, and into generation_config.json, if
// there is one, the tokens that they mean: the folder then translates between them unasked.
// Nothing is written for a model that names no languages.
void keep_languages(const std::filesystem::path& folder, const SubwordPair& subwords,
                    const TextFrame& frame, const Languages& languages);

// The config.json of a family's model: the original's keys, with the weights' type and the
// decoder's first input as they are now. info.original_config must be there.
Json trained_config(const ModelInfo& info);

}  // namespace yona
