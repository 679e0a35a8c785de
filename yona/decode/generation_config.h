// How a foreign model's own folder wants it to be decoded: generation_config.json, or the same keys
// in an older config.json, in Hugging Face's way; for Marian's folders decoder.yml, in Marian's.
#pragma once

#include <filesystem>

#include "yona/decode/options.h"
#include "yona/io/translation_model.h"

namespace yona {

// The defaults of a model folder: generation_config.json's for a foreign one, the paper's for
// yona's own. Throws FormatError naming file and key for values that cannot be; keys with an effect
// that yona does not have are named in a warning.
DecodeOptions folder_options(const std::filesystem::path& folder, const ModelInfo& info);

// The same with the search of a program. Where the folder has settings for that program, they hold:
// generation_config.json in Hugging Face's way, of yona's own folders too. Else only what it says
// of tokens (those that never come out, the first output) stays.
DecodeOptions folder_options(const std::filesystem::path& folder, const ModelInfo& info,
                             BeamMode mode);

}  // namespace yona
