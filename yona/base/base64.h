// Bytes as text for JSON and HTML: base64 of RFC 4648, section 4, with padding.
#pragma once

#include <string>
#include <string_view>

namespace yona {

std::string base64(std::string_view bytes);

}  // namespace yona
