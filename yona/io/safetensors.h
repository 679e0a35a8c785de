// Weights in files: the safetensors format, written and read.
// https://github.com/huggingface/safetensors
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "yona/base/dtype.h"
#include "yona/base/input_file.h"
#include "yona/base/shape.h"
#include "yona/base/thread_pool.h"
#include "yona/io/checksums.h"

namespace yona {

// An array that it does not own: dense, row-major, little-endian. It is in memory, or still in a
// file.
struct NamedArray {
  std::string name;
  DType dtype = DType::f32;
  Shape shape;
  const void* data = nullptr;  // null: at `offset` of
  const InputFile* file = nullptr;
  std::uint64_t offset = 0;

  std::size_t bytes() const { return static_cast<std::size_t>(shape.elements()) * size_of(dtype); }
  // Copies `count` bytes from byte `begin` of the array on. Any thread; throws as
  // InputFile::read().
  void copy(std::size_t begin, std::size_t count, void* to) const;
  // The same array from its row `first` on.
  NamedArray without_rows(std::int64_t first) const;
};

using SafetensorsMetadata = std::map<std::string, std::string>;

// Writes the arrays and waits until they are on disk. Equal arrays give equal bytes, whatever order
// they come in: wider types first (so that all data is aligned), then by name. Hugging Face wants
// the metadata {"format": "pt"}. Throws IoError, and InvalidArgument for a name given twice.
// The data begins at a multiple of `alignment` bytes, itself a multiple of eight.
// The file is not replaced atomically: see replace_file() in yona/io/atomic_file.h.
void write_safetensors(const std::filesystem::path& path, std::span<const NamedArray> arrays,
                       const SafetensorsMetadata& metadata = {}, std::size_t alignment = 8);

// now: arrays are in memory, and live as long as the file's object (or the one it is moved to).
// late: only the header is read; NamedArray::copy() reads.
enum class ReadWhen : std::uint8_t { now, late };

// One file. Throws IoError when it cannot be read and FormatError, naming file and tensor, when it
// breaks the format. Files of other writers may hold unaligned data: copy it with memcpy.
class SafetensorsFile {
 public:
  explicit SafetensorsFile(const std::filesystem::path& path, ReadWhen when = ReadWhen::now,
                           ThreadPool* pool = nullptr);

  const std::filesystem::path& path() const { return file_->path(); }
  std::uint64_t size() const { return file_->size(); }
  const SafetensorsMetadata& metadata() const { return metadata_; }
  std::span<const NamedArray> arrays() const { return arrays_; }  // in file order
  std::vector<std::string> names() const;                         // in file order
  std::optional<NamedArray> find(std::string_view name) const;
  // Of the whole file: of the bytes in memory, or of one more pass over those on disk. What copy()
  // reads later is of the same version: one that is written to in between throws.
  FileChecksum checksum(ThreadPool* pool = nullptr) const;

 private:
  struct Free {
    void operator()(char* memory) const noexcept;
  };

  std::unique_ptr<InputFile> file_;  // arrays point to it
  std::unique_ptr<char, Free> content_;
  FileChecksum checksum_;  // of the content
  SafetensorsMetadata metadata_;
  std::vector<NamedArray> arrays_;
  std::unordered_map<std::string, std::size_t> positions_;
};

}  // namespace yona
