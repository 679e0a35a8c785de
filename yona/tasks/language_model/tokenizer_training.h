// Trains a tokeniser and writes it as files of a model folder: tokenizer.json and
// tokenizer_config.json, which transformers reads too.
#pragma once

#include <filesystem>
#include <string>

#include "yona/tasks/language_model/config.h"
#include "yona/train/progress.h"

namespace yona {

// Reads data.train and writes the two files into `folder`. Throws InvalidArgument for a vocabulary
// size that cannot be, and as DocumentReader does.
void train_lm_tokenizer(const LmDataConfig& data, std::int64_t max_positions,
                        const std::filesystem::path& folder, Reporter& reporter);

}  // namespace yona
