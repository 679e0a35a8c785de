// The manifest of a folder: `checksums.json` holds the size and CRC-64 of every file beside it, so
// that a damaged checkpoint is noticed before it is used.
#pragma once

#include <cstdint>
#include <filesystem>

namespace yona {

struct FileChecksum {
  std::int64_t bytes = 0;
  std::uint64_t crc64 = 0;  // CRC-64/XZ, as liblzma computes it

  bool operator==(const FileChecksum&) const = default;
};

// Reads the whole file. Throws IoError.
FileChecksum checksum_file(const std::filesystem::path& path);

// Writes `checksums.json` for the files of `folder`, which holds plain files only. Throws IoError.
void write_checksums(const std::filesystem::path& folder);

// Reads every file that `checksums.json` lists. Throws FormatError naming the first that is
// missing, of another size, or changed; files that are not listed do not matter.
void verify_folder(const std::filesystem::path& folder);

}  // namespace yona
