// Writing and mapping one safetensors file.

#include "yona/io/safetensors.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>

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

SafetensorsFile::SafetensorsFile(const std::filesystem::path& path) : file_(path) {
  SafetensorsHeader header = parse_safetensors_header(file_.bytes(), path.string());
  metadata_ = std::move(header.metadata);
  arrays_.reserve(header.entries.size());
  for (SafetensorsEntry& entry : header.entries) {
    positions_.emplace(entry.name, arrays_.size());
    arrays_.push_back({std::move(entry.name), entry.dtype, entry.shape,
                       file_.bytes().data() + header.data_begin + entry.begin});
  }
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

void SafetensorsFile::forget(std::string_view data) const noexcept {
  const std::string_view all = file_.bytes();
  if (data.data() >= all.data() && data.data() + data.size() <= all.data() + all.size()) {
    file_.forget(data);
  }
}

}  // namespace yona
