// Bodies that come compressed (Content-Encoding: gzip), within a limit.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace yona::serve {

// What was compressed. Stops at `most` bytes, however many more there are. Throws HttpError 413 for
// more than `most`, 400 for what is not gzip or is cut short.
std::string gunzipped(std::string_view packed, std::size_t most);

}  // namespace yona::serve
