// A file read by position, never through a memory map: a map of a file that is cut under it ends
// the process with a signal, here the same is an error that names the file.
#pragma once

#include <cstdint>
#include <ctime>
#include <filesystem>
#include <string>

#include "yona/base/file_descriptor.h"

namespace yona {

// A regular file opened for reading. Throws IoError when it cannot be opened or is not a regular
// file. One that is deleted, or replaced by rename, stays readable as it was.
class InputFile {
 public:
  explicit InputFile(std::filesystem::path path);

  const std::filesystem::path& path() const { return path_; }
  std::uint64_t size() const { return size_; }
  int descriptor() const { return descriptor_.get(); }

  // Exactly `bytes` bytes from `offset` on. Any thread. Throws FormatError when the file has been
  // cut or written to since it was opened, IoError when the disk fails.
  void read(std::uint64_t offset, void* to, std::size_t bytes) const;

 private:
  void check_unchanged() const;

  std::filesystem::path path_;
  FileDescriptor descriptor_;
  std::uint64_t size_ = 0;
  timespec written_{};  // when it was last written to
};

// The whole of a regular file. Throws as InputFile does.
std::string read_file(const std::filesystem::path& path);

}  // namespace yona
