// A model folder whose weights are bytes, made from any that yona runs: translation, parsing,
// language models and encoders.
#pragma once

#include <filesystem>

#include "yona/backend/backend.h"

namespace yona {

// Writes folder `to`, which appears whole or not at all: model.int8.safetensors, config.json with
// the whole description under "yona", and the sub-word and generation files of `from`. The backend
// is a CPU's. Throws InvalidArgument when `to` is there already or `from` has no
// config.json, and as loading the model and write_int8_weights() do.
void write_int8_folder(const std::filesystem::path& from, const std::filesystem::path& to,
                       Backend& backend);

}  // namespace yona
