// Writing and reading one safetensors file.

#include "yona/io/safetensors.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <sys/mman.h>

#include "yona/base/error.h"
#include "yona/base/file_writer.h"
#include "yona/base/json.h"
#include "yona/io/safetensors_header.h"

namespace yona {

static_assert(std::endian::native == std::endian::little, "safetensors data is little-endian");

namespace {

std::vector<const NamedArray*> in_file_order(std::span<const NamedArray> arrays) {
  std::vector<const NamedArray*> order;
  order.reserve(arrays.size());
  for (const NamedArray& array : arrays) {
    order.push_back(&array);
  }
  std::sort(order.begin(), order.end(), [](const NamedArray* a, const NamedArray* b) {
    const std::size_t width_a = size_of(a->dtype);
    const std::size_t width_b = size_of(b->dtype);
    return width_a != width_b ? width_a > width_b : a->name < b->name;
  });
  return order;
}

// The JSON of the header, padded with spaces so that the data begins at a multiple of `alignment`.
// Assembled by hand: a Json object would look each name up among all the others.
std::string header_text(const std::vector<const NamedArray*>& arrays,
                        const SafetensorsMetadata& metadata, std::size_t alignment) {
  std::string text = "{";
  if (!metadata.empty()) {
    text += "\"__metadata__\":" + Json(metadata).dump();
  }
  std::uint64_t offset = 0;
  for (const NamedArray* array : arrays) {
    Json shape = Json::array();
    for (int axis = 0; axis < array->shape.rank(); ++axis) {
      shape.push_back(array->shape[axis]);
    }
    text +=
        fmt::format("{}{}:{{\"dtype\":\"{}\",\"shape\":{},\"data_offsets\":[{},{}]}}",
                    text.size() > 1 ? "," : "", Json(array->name).dump(),
                    safetensors_name(array->dtype), shape.dump(), offset, offset + array->bytes());
    offset += array->bytes();
  }
  text += "}";
  constexpr std::size_t kLength = sizeof(std::uint64_t);  // comes before it
  text.resize((kLength + text.size() + alignment - 1) / alignment * alignment - kLength, ' ');
  return text;
}

void check_names(const std::filesystem::path& path, std::span<const NamedArray> arrays) {
  std::vector<std::string_view> names;
  for (const NamedArray& array : arrays) {
    check(array.name != "__metadata__", "writing {}: a tensor cannot be called __metadata__",
          path.string());
    names.emplace_back(array.name);
  }
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  check(twice == names.end(), "writing {}: tensor '{}' is given twice", path.string(),
        twice == names.end() ? "" : *twice);
}

// Not touched, unlike a vector's, and in large pages where the system has them: a model is read
// into it at every start.
char* allocate(std::uint64_t bytes) {
  constexpr std::size_t kPage = std::size_t{2} << 20U;
  const std::size_t alignment = bytes >= kPage ? kPage : 64;
  const std::size_t rounded =
      (std::max<std::uint64_t>(bytes, 1) + alignment - 1) / alignment * alignment;
  void* memory = std::aligned_alloc(alignment, rounded);
  check<DeviceError>(memory != nullptr, "out of memory: {} bytes for a file of weights", bytes);
  if (alignment == kPage) {
    ::madvise(memory, rounded, MADV_HUGEPAGE);  // a hint: nothing is lost when it is not taken
  }
  return static_cast<char*>(memory);
}

}  // namespace

void write_safetensors(const std::filesystem::path& path, std::span<const NamedArray> arrays,
                       const SafetensorsMetadata& metadata, std::size_t alignment) {
  check_names(path, arrays);
  const std::vector<const NamedArray*> order = in_file_order(arrays);
  const std::string header = header_text(order, metadata, alignment);
  const std::uint64_t length = header.size();
  std::uint64_t total = sizeof length + length;
  for (const NamedArray* array : order) {
    total += array->bytes();
  }
  FileWriter file(path, static_cast<std::int64_t>(total));
  file.write(&length, sizeof length);
  file.write(header);
  for (const NamedArray* array : order) {
    file.write(array->data, array->bytes());
  }
  file.close();
}

void NamedArray::copy(std::size_t begin, std::size_t count, void* to) const {
  if (data != nullptr) {
    std::memcpy(to, static_cast<const char*>(data) + begin, count);
  } else if (count > 0) {
    file->read(offset + begin, to, count);
  }
}

NamedArray NamedArray::without_rows(std::int64_t first) const {
  NamedArray rest = *this;
  const auto skipped = static_cast<std::size_t>(first * shape[1]) * size_of(dtype);
  rest.shape = Shape{shape[0] - first, shape[1]};
  rest.offset += skipped;
  if (data != nullptr) {
    rest.data = static_cast<const char*>(data) + skipped;
  }
  return rest;
}

void SafetensorsFile::Free::operator()(char* memory) const noexcept { std::free(memory); }

SafetensorsFile::SafetensorsFile(const std::filesystem::path& path, ReadWhen when, ThreadPool* pool)
    : file_(std::make_unique<InputFile>(path)) {
  if (when == ReadWhen::now) {
    content_.reset(allocate(file_->size()));
    checksum_ = checksum_input(*file_, pool, content_.get());
  }
  SafetensorsHeader header =
      content_ ? parse_safetensors_header({content_.get(), file_->size()}, path.string())
               : read_safetensors_header(*file_);
  metadata_ = std::move(header.metadata);
  arrays_.reserve(header.entries.size());
  for (SafetensorsEntry& entry : header.entries) {
    const std::uint64_t offset = header.data_begin + entry.begin;
    positions_.emplace(entry.name, arrays_.size());
    arrays_.push_back({std::move(entry.name), entry.dtype, entry.shape,
                       content_ ? content_.get() + offset : nullptr, file_.get(), offset});
  }
}

FileChecksum SafetensorsFile::checksum(ThreadPool* pool) const {
  return content_ ? checksum_ : checksum_input(*file_, pool);
}

std::vector<std::string> SafetensorsFile::names() const {
  std::vector<std::string> names;
  names.reserve(arrays_.size());
  for (const NamedArray& array : arrays_) {
    names.push_back(array.name);
  }
  return names;
}

std::optional<NamedArray> SafetensorsFile::find(std::string_view name) const {
  const auto found = positions_.find(std::string(name));
  return found == positions_.end() ? std::nullopt : std::optional(arrays_[found->second]);
}

}  // namespace yona
