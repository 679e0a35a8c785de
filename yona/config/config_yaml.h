// The YAML that configurations are read from and written to: the plain part of the language, maps,
// lists and scalars. Anchors, aliases, tags, several documents and keys that are not text are
// refused, so that a file means what it shows.
#pragma once

#include <string>
#include <string_view>

#include "yona/config/config_node.h"

namespace yona {

// Throws FormatError "name:line: …" when the text is not such YAML; name is for messages.
ConfigNode parse_yaml(std::string_view text, std::string_view name);

// Reads back as the same tree. Throws InvalidArgument for text that is not UTF-8.
std::string to_yaml(const ConfigNode& map);

}  // namespace yona
