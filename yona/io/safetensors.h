// Weights in files: the safetensors format, written and read in place.
// https://github.com/huggingface/safetensors
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "yona/base/dtype.h"
#include "yona/base/mapped_file.h"
#include "yona/base/shape.h"

namespace yona {

// An array that somebody else owns: dense, row-major, little-endian.
struct NamedArray {
  std::string name;
  DType dtype = DType::f32;
  Shape shape;
  const void* data = nullptr;

  std::size_t bytes() const { return static_cast<std::size_t>(shape.elements()) * size_of(dtype); }
};

using SafetensorsMetadata = std::map<std::string, std::string>;

// Writes the arrays and waits until they are on disk. Equal arrays give equal bytes, whatever order
// they come in: wider types first (so that all data is aligned), then by name. Hugging Face wants
// the metadata {"format": "pt"}. Throws IoError, and InvalidArgument for a name given twice.
// The data begins at a multiple of `alignment` bytes, itself a multiple of eight.
// The file is not replaced atomically: see replace_file() in yona/io/atomic_file.h.
void write_safetensors(const std::filesystem::path& path, std::span<const NamedArray> arrays,
                       const SafetensorsMetadata& metadata = {}, std::size_t alignment = 8);

// One memory-mapped file. Throws IoError when it cannot be read and FormatError, naming file and
// tensor, when it breaks the format. Arrays point into the map and live as long as this object (or
// the one it is moved to). Files of other writers may hold unaligned data: copy it with memcpy.
class SafetensorsFile {
 public:
  explicit SafetensorsFile(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return file_.path(); }
  const SafetensorsMetadata& metadata() const { return metadata_; }
  std::span<const NamedArray> arrays() const { return arrays_; }  // in file order
  std::vector<std::string> names() const;                         // in file order
  std::optional<NamedArray> find(std::string_view name) const;
  // Data that has been copied need not stay in memory; see MappedFile::forget(). Data of another
  // file is left alone.
  void forget(std::string_view data) const noexcept;

 private:
  MappedFile file_;
  SafetensorsMetadata metadata_;
  std::vector<NamedArray> arrays_;
  std::unordered_map<std::string, std::size_t> positions_;
};

}  // namespace yona
