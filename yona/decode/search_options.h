// The search that a call asks for: its options over those of the model's folder.
#pragma once

#include <filesystem>

#include "yona/decode/options.h"
#include "yona/decode/translate_options.h"
#include "yona/io/translation_model.h"

namespace yona {

// What the folder says, of the search that `mode` names; empty: of its own. Throws as
// folder_options() and beam_mode() do.
DecodeOptions folder_search(const std::filesystem::path& folder, const ModelInfo& info,
                            const std::string& mode);

// `options` with what is asked for in their place; nothing is checked.
DecodeOptions with_asked(DecodeOptions options, const TranslateOptions& asked);

// Both, checked by check_options().
DecodeOptions search_options(const std::filesystem::path& folder, const ModelInfo& info,
                             const TranslateOptions& asked);

}  // namespace yona
