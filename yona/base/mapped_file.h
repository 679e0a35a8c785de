// A file's bytes in memory: a corpus cache, which may be larger than the memory. Small files are
// read, large ones are mapped: their pages belong to the system's file cache.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace yona {

// Maps a regular file for reading, or reads it when it has `read_up_to` bytes at most. Throws
// IoError when it cannot be opened or is not a regular file, FormatError when it changes while it
// is read. The bytes stay at the same address until the object dies, also when it is moved. A file
// must not be shortened while it is mapped, which would end the process (replacing it by rename is
// safe).
class MappedFile {
 public:
  MappedFile() = default;
  explicit MappedFile(std::filesystem::path path, std::uint64_t read_up_to = 0);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::string_view bytes() const { return bytes_; }
  // The pages of this part of bytes() no longer count as this process's memory. They may be read
  // again: until memory is short they stay in the system's file cache.
  void forget(std::string_view part) const noexcept;

 private:
  std::filesystem::path path_;
  std::string_view bytes_;
  bool is_mapped_ = false;  // or allocated
};

}  // namespace yona
