// A NumPy archive (.npz) opened for reading: .npy arrays in a zip, Marian's format of weights.
#pragma once

#include <deque>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "yona/io/safetensors.h"

namespace yona {

// Reads the file. Throws IoError when it cannot be read and FormatError, naming file and array,
// when it is not such an archive, or holds arrays that are not row-major and little-endian. Arrays
// of types that yona does not have are left out. Arrays are in memory and live as long as this
// object. Data may be unaligned.
class NpzFile {
 public:
  explicit NpzFile(const std::filesystem::path& path);

  std::vector<std::string> names() const;               // sorted, without ".npy"
  const NamedArray* find(std::string_view name) const;  // null when there is none
  const std::filesystem::path& path() const { return path_; }
  // Of the bytes that were read.
  FileChecksum checksum() const;

 private:
  std::filesystem::path path_;
  std::string content_;
  std::deque<std::string> unpacked_;  // which never move
  std::map<std::string, NamedArray, std::less<>> arrays_;
};

}  // namespace yona
