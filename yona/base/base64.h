// Bytes as text for JSON and HTML: base64 of RFC 4648, section 4, with padding.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace yona {

std::string base64(std::string_view bytes);
// The bytes, or nothing when the text is not base64.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace yona
