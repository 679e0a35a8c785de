// Any bytes as a form of parts: it is refused, or gives fields that are all in the body, in order,
// within the limits.
//
// The first line is the boundary, the rest is the body.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "yona/serve/http.h"
#include "yona/serve/multipart.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view body(reinterpret_cast<const char*>(data), size);
  const std::size_t end = std::min(body.find('\n'), body.size());
  const std::string_view boundary = body.substr(0, end);
  body.remove_prefix(std::min(end + 1, body.size()));
  const yona::serve::MultipartLimits limits{.parts = 20, .header_bytes = 200};
  try {
    std::size_t from = 0;
    std::size_t fields = 0;
    for (const auto& [name, value] : yona::serve::parse_multipart(body, boundary, limits)) {
      const std::size_t found = body.find(value, from);
      if (found == body.npos || name.size() > limits.header_bytes || ++fields > limits.parts) {
        std::abort();
      }
      from = found + value.size();
    }
  } catch (const yona::serve::HttpError& error) {
    if (error.status != 400) {
      std::abort();
    }
  }
  return 0;
}
