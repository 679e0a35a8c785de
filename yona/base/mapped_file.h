// A file read through memory: the corpus cache and weight files are looked at in place, never
// copied whole. The pages belong to the system's file cache and are shared between processes.
#pragma once

#include <filesystem>
#include <string_view>

namespace yona {

// Maps a regular file for reading. Throws IoError when it cannot be opened or is not a regular
// file. The bytes stay at the same address until the object dies, also when it is moved. The file
// must not be shortened while it is mapped (replacing it by rename is safe).
class MappedFile {
 public:
  MappedFile() = default;
  explicit MappedFile(std::filesystem::path path);
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
};

}  // namespace yona
