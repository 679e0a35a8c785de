// The zip's directory at its end says where the entries are (APPNOTE.TXT 6.3, with zip64's sizes);
// each entry is an .npy file (numpy.lib.format 1.0 to 3.0): a header in Python's notation, then the
// elements.

#include "yona/io/npz_file.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>
#include <optional>

#include <zlib.h>

#include "yona/base/error.h"
#include "yona/text/utf8.h"

namespace yona {

namespace {

// A walk over bytes that never leaves them.
class ByteReader {
 public:
  ByteReader(std::string_view bytes, std::string_view name) : left_(bytes), name_(name) {}

  std::string_view take(std::uint64_t count) {
    check<FormatError>(count <= left_.size(), "{}: not a NumPy archive, or a damaged one", name_);
    const std::string_view taken = left_.substr(0, count);
    left_.remove_prefix(count);
    return taken;
  }
  template <class T>
  T number() {
    T value;
    std::memcpy(&value, take(sizeof(T)).data(), sizeof(T));
    return value;
  }
  std::string_view left() const { return left_; }

 private:
  std::string_view left_;
  std::string_view name_;
};

struct Entry {
  std::string name;
  std::uint16_t method = 0;
  std::uint64_t packed = 0, size = 0, offset = 0;
};

constexpr std::uint32_t kIn64 = 0xFFFFFFFFU;  // "see the zip64 field"

// The extra field 1 holds, in this order, those of the three that did not fit 32 bits.
void read_zip64(std::string_view extra, Entry& entry, std::string_view name) {
  ByteReader reader(extra, name);
  while (reader.left().size() >= 4) {
    const auto kind = reader.number<std::uint16_t>();
    const auto size = reader.number<std::uint16_t>();
    ByteReader field(reader.take(size), name);
    if (kind == 1) {
      for (std::uint64_t* value : {&entry.size, &entry.packed, &entry.offset}) {
        if (*value == kIn64) {
          *value = field.number<std::uint64_t>();
        }
      }
    }
  }
}

Entry read_entry(ByteReader& directory, std::string_view name) {
  check<FormatError>(directory.number<std::uint32_t>() == 0x02014B50,
                     "{}: the archive's directory is damaged", name);
  directory.take(4);  // versions
  const auto flags = directory.number<std::uint16_t>();
  Entry entry;
  entry.method = directory.number<std::uint16_t>();
  directory.take(8);  // time, checksum
  entry.packed = directory.number<std::uint32_t>();
  entry.size = directory.number<std::uint32_t>();
  const auto name_size = directory.number<std::uint16_t>();
  const auto extra_size = directory.number<std::uint16_t>();
  const auto comment_size = directory.number<std::uint16_t>();
  directory.take(8);  // disk, attributes
  entry.offset = directory.number<std::uint32_t>();
  entry.name = directory.take(name_size);
  read_zip64(directory.take(extra_size), entry, name);
  directory.take(comment_size);
  check<FormatError>((flags & 1U) == 0, "{}: the archive is encrypted", name);
  check<FormatError>(is_utf8(entry.name), "{}: an array's name is not UTF-8", name);
  return entry;
}

struct Directory {
  std::uint64_t offset = 0, entries = 0;
};

// The end record is the last thing but a comment; a zip64 one precedes it if needed.
Directory find_directory(std::string_view bytes, std::string_view name) {
  constexpr std::string_view kEnd("PK\5\6", 4);
  constexpr std::string_view kEnd64("PK\6\7", 4);
  const std::size_t last = bytes.rfind(kEnd);
  check<FormatError>(last != std::string_view::npos && bytes.size() - last >= 22,
                     "{}: not a NumPy archive (.npz)", name);
  ByteReader end(bytes.substr(last + 10), name);
  Directory directory;
  directory.entries = end.number<std::uint16_t>();
  end.take(4);
  directory.offset = end.number<std::uint32_t>();
  if (last >= 20 && bytes.substr(last - 20, 4) == kEnd64) {
    const auto where = ByteReader(bytes.substr(last - 12), name).number<std::uint64_t>();
    check<FormatError>(where < bytes.size(), "{}: the archive's directory is damaged", name);
    ByteReader end64(bytes.substr(where), name);
    end64.take(32);
    directory.entries = end64.number<std::uint64_t>();
    end64.take(8);
    directory.offset = end64.number<std::uint64_t>();
  }
  check<FormatError>(directory.offset <= bytes.size(), "{}: the archive's directory is damaged",
                     name);
  return directory;
}

// The bytes of an entry as the file has them.
std::string_view packed_bytes(std::string_view bytes, const Entry& entry, std::string_view name) {
  check<FormatError>(entry.offset <= bytes.size(), "{}: the archive's directory is damaged", name);
  ByteReader local(bytes.substr(entry.offset), name);
  check<FormatError>(local.number<std::uint32_t>() == 0x04034B50,
                     "{}: array '{}' is not where the directory says", name, entry.name);
  local.take(22);
  const auto name_size = local.number<std::uint16_t>();
  const auto extra_size = local.number<std::uint16_t>();
  local.take(std::uint64_t{name_size} + extra_size);
  return local.take(entry.packed);
}

std::string inflated(std::string_view packed, const Entry& entry, std::string_view name) {
  // deflate never packs tighter than 1 : 1032, so that a hostile size costs no memory
  check<FormatError>(entry.size / 1100 <= packed.size() && entry.size <= std::uint64_t{1} << 40U,
                     "{}: array '{}' cannot have {} bytes", name, entry.name, entry.size);
  std::string out(entry.size, '\0');
  z_stream stream{};
  check<DeviceError>(::inflateInit2(&stream, -MAX_WBITS) == Z_OK, "{}: out of memory", name);
  constexpr std::size_t kMost = std::numeric_limits<uInt>::max();
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));  // NOLINT: zlib's
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  std::size_t in = packed.size();
  std::size_t room = out.size();
  int result = Z_OK;
  while (result == Z_OK) {
    const auto given = static_cast<uInt>(std::min(in, kMost));
    const auto wanted = static_cast<uInt>(std::min(room, kMost));
    stream.avail_in = given;
    stream.avail_out = wanted;
    result = ::inflate(&stream, Z_NO_FLUSH);
    in -= given - stream.avail_in;
    room -= wanted - stream.avail_out;
    if (given == stream.avail_in && wanted == stream.avail_out) {
      break;
    }
  }
  ::inflateEnd(&stream);
  check<FormatError>(result == Z_STREAM_END && room == 0, "{}: array '{}' is damaged", name,
                     entry.name);
  return out;
}

std::optional<DType> dtype_named(std::string_view descr) {
  if (descr.size() < 3 || descr[0] == '>') {
    return std::nullopt;
  }
  const std::string_view kind = descr.substr(1);
  return kind == "f4"   ? std::optional(DType::f32)
         : kind == "f2" ? std::optional(DType::f16)
         : kind == "f8" ? std::optional(DType::f64)
         : kind == "i8" ? std::optional(DType::i64)
         : kind == "i4" ? std::optional(DType::i32)
         : kind == "i1" ? std::optional(DType::i8)
         : kind == "u1" ? std::optional(DType::u8)
                        : std::nullopt;
}

// What stands after 'key': in the header, which is a Python dictionary of known form.
std::string_view value_of_key(std::string_view header, std::string_view key) {
  const std::size_t at = header.find(key);
  if (at == std::string_view::npos) {
    return {};
  }
  std::string_view rest = header.substr(at + key.size());
  rest.remove_prefix(std::min(rest.find_first_not_of("'\": "), rest.size()));
  return rest;
}

std::optional<Shape> parse_shape(std::string_view text) {
  std::vector<std::int64_t> sizes;
  if (!text.starts_with("(")) {
    return std::nullopt;
  }
  text.remove_prefix(1);
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(", "), text.size()));
    if (text.starts_with(")")) {
      return Shape(sizes);
    }
    std::int64_t size = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
    constexpr std::int64_t kLargest = std::int64_t{1} << 40U;
    if (error != std::errc() || size < 0 || size > kLargest ||
        sizes.size() == static_cast<std::size_t>(Shape::kMaxRank)) {
      return std::nullopt;
    }
    sizes.push_back(size);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  }
}

std::optional<NamedArray> read_npy(std::string_view bytes, const std::string& array,
                                   std::string_view name) {
  constexpr std::string_view kMagic("\x93NUMPY", 6);
  ByteReader reader(bytes, name);
  check<FormatError>(bytes.size() >= 10 && reader.take(6) == kMagic,
                     "{}: '{}' is not a NumPy array", name, array);
  const auto version = reader.number<std::uint16_t>() & 0xFFU;
  const std::uint64_t size =
      version == 1 ? reader.number<std::uint16_t>() : reader.number<std::uint32_t>();
  const std::string_view header = reader.take(size);
  const std::string_view descr = value_of_key(header, "'descr'");
  const std::optional<DType> dtype = dtype_named(descr.substr(0, descr.find('\'')));
  const std::optional<Shape> shape = parse_shape(value_of_key(header, "'shape'"));
  if (!dtype) {
    return std::nullopt;
  }
  check<FormatError>(shape.has_value(), "{}: array '{}' has no shape that can be", name, array);
  check<FormatError>(value_of_key(header, "'fortran_order'").starts_with("False"),
                     "{}: array '{}' is stored by columns", name, array);
  std::uint64_t elements = 1;
  for (int axis = 0; axis < shape->rank(); ++axis) {
    const auto extent = static_cast<std::uint64_t>((*shape)[axis]);
    check<FormatError>(!__builtin_mul_overflow(elements, extent, &elements),
                       "{}: array '{}' is too large", name, array);
  }
  check<FormatError>(elements <= reader.left().size() / size_of(*dtype) &&
                         elements * size_of(*dtype) == reader.left().size(),
                     "{}: array '{}' has {} bytes for {} elements", name, array,
                     reader.left().size(), elements);
  return NamedArray{array, *dtype, *shape, reader.left().data()};
}

}  // namespace

NpzFile::NpzFile(const std::filesystem::path& path) : path_(path), content_(read_file(path)) {
  const std::string name = path.string();
  const std::string_view bytes_of_file = content_;
  const Directory directory = find_directory(bytes_of_file, name);
  ByteReader reader(bytes_of_file.substr(directory.offset), name);
  for (std::uint64_t i = 0; i < directory.entries; ++i) {
    Entry entry = read_entry(reader, name);
    std::string_view bytes = packed_bytes(bytes_of_file, entry, name);
    check<FormatError>(entry.method == 0 || entry.method == Z_DEFLATED,
                       "{}: array '{}' is packed by method {}", name, entry.name, entry.method);
    if (entry.method == Z_DEFLATED) {
      bytes = unpacked_.emplace_back(inflated(bytes, entry, name));
    }
    if (entry.name.ends_with(".npy")) {
      entry.name.resize(entry.name.size() - 4);
    }
    if (const auto array = read_npy(bytes, entry.name, name)) {
      check<FormatError>(arrays_.emplace(entry.name, *array).second,
                         "{}: array '{}' is there twice", name, entry.name);
    }
  }
}

std::vector<std::string> NpzFile::names() const {
  std::vector<std::string> names;
  for (const auto& [name, array] : arrays_) {
    names.push_back(name);
  }
  return names;
}

FileChecksum NpzFile::checksum() const { return checksum_bytes(content_); }

const NamedArray* NpzFile::find(std::string_view name) const {
  const auto found = arrays_.find(name);
  return found == arrays_.end() ? nullptr : &found->second;
}

}  // namespace yona
