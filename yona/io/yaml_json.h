// YAML as other programs write it (Marian's configurations and vocabularies), read into JSON. What
// yona itself writes and lets users write is read with line numbers by train/config_yaml.h.
#pragma once

#include <filesystem>
#include <string_view>

#include "yona/base/json.h"

namespace yona {

// One document of maps, lists and scalars; keys are text. Plain scalars become null, booleans and
// numbers where they look like them, quoted ones stay text. Throws FormatError "where:line: …" for
// text that is not YAML, for anchors and aliases, and for more than 32 levels.
Json parse_yaml_json(std::string_view text, std::string_view where);

// Throws IoError when the file cannot be read.
Json read_yaml(const std::filesystem::path& path);

}  // namespace yona
