#include "yona/data/images/idx.h"

#include <algorithm>
#include <array>
#include <limits>

#include "yona/base/error.h"

namespace yona {

namespace {

namespace fs = std::filesystem;

constexpr std::uint8_t kUnsignedBytes = 0x08;
constexpr std::size_t kMostExtents = 4;
constexpr std::size_t kReadBytes = std::size_t{1} << 22U;
constexpr std::int64_t kLongestSide = 1 << 14;

std::int64_t big_endian(const unsigned char* bytes) {
  return (std::int64_t{bytes[0]} << 24) | (std::int64_t{bytes[1]} << 16) |
         (std::int64_t{bytes[2]} << 8) | std::int64_t{bytes[3]};
}

// 0 0 type rank; false for anything else.
bool is_idx_head(const std::array<unsigned char, 4>& head) {
  return head[0] == 0 && head[1] == 0 && head[2] >= kUnsignedBytes && head[2] <= 0x0E &&
         head[3] >= 1;
}

void read_exactly(ByteSource& source, const std::string& name, void* to, std::size_t bytes) {
  const std::size_t got = source.read(static_cast<char*>(to), bytes);
  check<FormatError>(got == bytes, "{}: ends within the header of an IDX file", name);
}

std::size_t product_of(const std::vector<std::int64_t>& extents, const std::string& name) {
  std::uint64_t product = 1;
  for (const std::int64_t extent : extents) {
    check<FormatError>(extent == 0 || product <= std::numeric_limits<std::uint64_t>::max() /
                                                     static_cast<std::uint64_t>(extent),
                       "{}: the extents {} are too large", name, fmt::join(extents, " × "));
    product *= static_cast<std::uint64_t>(extent);
  }
  return product;
}

std::string with_labels_in_name(std::string name) {
  for (const auto& [from, to] :
       {std::pair{"images", "labels"}, std::pair{"idx3", "idx1"}, std::pair{"idx4", "idx1"}}) {
    if (const std::size_t at = name.find(from); at != std::string::npos) {
      name.replace(at, std::string_view(from).size(), to);
    }
  }
  return name;
}

std::string without_compression(const std::string& name) {
  for (const std::string_view ending : {".gz", ".xz", ".zst"}) {
    if (name.ends_with(ending)) {
      return name.substr(0, name.size() - ending.size());
    }
  }
  return name;
}

}  // namespace

IdxArray read_idx(ByteSource& source, const std::string& name) {
  std::array<unsigned char, 4> head{};
  read_exactly(source, name, head.data(), head.size());
  check<FormatError>(is_idx_head(head),
                     "{}: is not an IDX file: it begins with {:02x} {:02x} {:02x} {:02x}", name,
                     head[0], head[1], head[2], head[3]);
  check<FormatError>(head[2] == kUnsignedBytes,
                     "{}: holds elements of type 0x{:02x}; only unsigned bytes (0x08) are read",
                     name, head[2]);
  check<FormatError>(head[3] <= kMostExtents, "{}: has {} extents; pictures have 3 or 4", name,
                     head[3]);
  IdxArray array;
  array.extents.reserve(head[3]);
  for (int i = 0; i < head[3]; ++i) {
    std::array<unsigned char, 4> extent{};
    read_exactly(source, name, extent.data(), extent.size());
    array.extents.push_back(big_endian(extent.data()));
  }
  const std::size_t expected = product_of(array.extents, name);
  while (array.bytes.size() < expected) {
    const std::size_t before = array.bytes.size();
    const std::size_t wanted = std::min(expected - before, std::max(kReadBytes, before));
    array.bytes.resize(before + wanted);
    const std::size_t got =
        source.read(reinterpret_cast<char*>(array.bytes.data()) + before, wanted);
    check<FormatError>(got == wanted, "{}: ends after {} of {} elements ({})", name, before + got,
                       expected, fmt::join(array.extents, " × "));
  }
  char more = 0;
  check<FormatError>(source.read(&more, 1) == 0, "{}: goes on after its {} elements ({})", name,
                     expected, fmt::join(array.extents, " × "));
  return array;
}

bool is_idx_file(const fs::path& path) {
  std::array<unsigned char, 4> head{};
  const auto source = open_bytes(path);
  return source->read(reinterpret_cast<char*>(head.data()), head.size()) == head.size() &&
         is_idx_head(head);
}

LabelledImages read_idx_images(const fs::path& images) {
  LabelledImages result{images.string()};
  IdxArray array = read_idx(*open_bytes(images), result.name);
  const std::size_t rank = array.extents.size();
  check<FormatError>(rank == 3 || rank == 4,
                     "{}: has {} extents; pictures have 3 (images, rows, columns) or 4 (and "
                     "channels)",
                     result.name, rank);
  result.shape = {array.extents[1], array.extents[2], rank == 4 ? array.extents[3] : 1};
  check<FormatError>(array.extents[0] > 0, "{}: has no pictures", result.name);
  check<FormatError>(result.shape.height > 0 && result.shape.height <= kLongestSide &&
                         result.shape.width > 0 && result.shape.width <= kLongestSide &&
                         (result.shape.channels == 1 || result.shape.channels == 3),
                     "{}: its pictures have {} × {} pixels and {} channels; expected 1 to {} "
                     "pixels a side, and 1 or 3 channels",
                     result.name, result.shape.height, result.shape.width, result.shape.channels,
                     kLongestSide);
  result.pixels = std::move(array.bytes);
  return result;
}

LabelledImages read_idx_images(const fs::path& images, const fs::path& labels) {
  LabelledImages result = read_idx_images(images);
  const IdxArray array = read_idx(*open_bytes(labels), labels.string());
  check<FormatError>(array.extents.size() == 1, "{}: has {} extents; labels have 1",
                     labels.string(), array.extents.size());
  check<FormatError>(array.extents[0] == result.count(),
                     "{}: has {} labels, but {} has {} pictures", labels.string(), array.extents[0],
                     result.name, result.count());
  result.labels.assign(array.bytes.begin(), array.bytes.end());
  return result;
}

fs::path idx_labels_of(const fs::path& images) {
  const std::string name = images.filename().string();
  const std::string labels = without_compression(with_labels_in_name(name));
  check<IoError>(
      labels != without_compression(name),
      "{}: its name does not say where the labels are; expected a name with 'images', such "
      "as train-images-idx3-ubyte, and beside it one with 'labels'",
      images.string());
  for (const std::string_view ending : {"", ".gz", ".xz", ".zst"}) {
    fs::path path = images.parent_path() / (labels + std::string(ending));
    std::error_code error;
    if (fs::is_regular_file(path, error)) {
      return path;
    }
  }
  fail<IoError>("{}: no labels beside it; looked for {} (also .gz, .xz, .zst)", images.string(),
                (images.parent_path() / labels).string());
}

}  // namespace yona
