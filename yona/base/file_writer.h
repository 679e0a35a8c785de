// A file written from front to back, with every failure reported and the bytes really on disk at
// the end. Everything yona must not lose (weights, checkpoints, caches) is written through this.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "yona/base/file_descriptor.h"

namespace yona {

//   FileWriter file(path, total);
//   file.write(header);
//   file.write(data, bytes);
//   file.close();                 // without it nothing is promised to be on disk
//
// Every failure is an IoError naming the path, the reason, the bytes needed and the bytes free.
class FileWriter {
 public:
  // Creates the file, or empties it. When the final size is known, `expected_bytes` is reserved at
  // once: a full disk is then found before the first byte, not after the last.
  explicit FileWriter(std::filesystem::path path, std::int64_t expected_bytes = 0);

  void write(const void* data, std::size_t bytes);
  void write(std::string_view text) { write(text.data(), text.size()); }

  // Waits until the bytes are on disk, then closes. Nothing may be written afterwards.
  void close();

  std::int64_t written() const { return written_; }

 private:
  [[noreturn]] void fail_writing(int reason) const;

  std::filesystem::path path_;
  FileDescriptor descriptor_;
  std::int64_t expected_ = 0;
  std::int64_t written_ = 0;
};

// Brings a file that was written otherwise to disk; one that is there already costs nothing. Throws
// IoError.
void sync_file(const std::filesystem::path& path);

// Makes a rename or a new name inside `folder` survive a power cut. Throws IoError.
void sync_folder(const std::filesystem::path& folder);

}  // namespace yona
