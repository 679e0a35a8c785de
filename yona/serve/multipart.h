// Forms as multipart/form-data (RFC 7578), which `curl -F` and a browser's FormData send. Texts
// alone: a file is refused by the name of its field.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace yona::serve {

struct MultipartLimits {
  std::size_t parts = 4096;
  std::size_t header_bytes = 4096;  // of one part
};

// Names and values, in order; what is before the first boundary and after the last is left out.
// Throws HttpError 400 for a boundary that cannot be one, a body that does not end with it, a part
// without a name, a file, or more than the limits allow.
std::vector<std::pair<std::string, std::string>> parse_multipart(
    std::string_view body, std::string_view boundary, const MultipartLimits& limits = {});

}  // namespace yona::serve
