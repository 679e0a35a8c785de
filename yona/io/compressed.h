// Text compressed as the name of its file asks: .gz, .xz and .zst; other files have it as it is.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace yona {

// A gzip member, xz stream or zstd frame of its own. Several of them, one after another, are one
// compressed file, so that a text can be compressed in parts. The same bytes each time. Throws
// Error when the library fails.
std::string compressed_for(const std::filesystem::path& file, std::string_view bytes);

}  // namespace yona
