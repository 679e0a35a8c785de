// Bytes of a corpus file, plain or compressed: what the line reader reads from.
//
// gzip, xz and zstd are recognised by their first bytes, whatever the file is called; several
// members, streams or frames in one file are read as one text.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace yona {

class ByteSource {
 public:
  virtual ~ByteSource() = default;

  // Fills up to `size` bytes; fewer only at the end, 0 when nothing is left. Throws IoError when
  // the system fails, FormatError naming the file and the offset in it when an archive is damaged
  // or ends early.
  virtual std::size_t read(char* into, std::size_t size) = 0;
};

// Throws IoError with path and reason when the file cannot be opened; directories included.
std::unique_ptr<ByteSource> open_bytes(const std::filesystem::path& path);

// The same over bytes in memory, which must outlive the source; `name` is for messages.
std::unique_ptr<ByteSource> open_bytes(std::string_view content, std::string name);

}  // namespace yona
