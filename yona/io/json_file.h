// JSON in files, read with messages that name the file and written for people to read.
#pragma once

#include <filesystem>
#include <string_view>

#include "yona/base/json.h"

namespace yona {

// Throws FormatError, naming `name` and the place, when the text is not JSON or is nested absurdly
// deep.
Json parse_json(std::string_view text, std::string_view name);

// Throws IoError when the file cannot be read and FormatError, naming file and place, when it is
// not JSON.
Json read_json(const std::filesystem::path& path);

// Two-space indentation, keys in their order, a line feed at the end; on disk when this returns.
// Numbers are written so that they read back exactly. Throws IoError.
void write_json(const std::filesystem::path& path, const Json& json);

}  // namespace yona
