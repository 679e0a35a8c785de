// The weights of a model folder, in one safetensors file or in shards joined by an index.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "yona/io/safetensors.h"

namespace yona {

// The weights of a model folder: `model.safetensors`, or the shards that
// `model.safetensors.index.json` names. Headers alone are read, data when an array is copied.
// Throws as SafetensorsFile does, and FormatError when index and shards disagree. Arrays live as
// long as this object.
class SafetensorsFolder {
 public:
  explicit SafetensorsFolder(const std::filesystem::path& folder);

  std::vector<std::string> names() const;  // sorted
  std::optional<NamedArray> find(std::string_view name) const;
  std::span<const SafetensorsFile> files() const { return files_; }

 private:
  void open_shards(const std::filesystem::path& index);

  std::vector<SafetensorsFile> files_;
  std::map<std::string, std::size_t, std::less<>> file_of_;  // tensor name → position in files_
};

}  // namespace yona
