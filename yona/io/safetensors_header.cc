// Parsing follows the checks of the format's own reference implementation: unique names, sizes that
// fit type and shape, and data that is covered from its first to its last byte.

#include "yona/io/safetensors_header.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "yona/base/error.h"
#include "yona/base/json.h"
#include "yona/io/json_builder.h"

namespace yona {

namespace {

// Sorted maps, not ordered_json: looking a key up there is linear, and a hostile header is long.
using HeaderJson = nlohmann::json;

constexpr std::uint64_t kLengthBytes = 8;
constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;  // the reference implementation's limit
constexpr std::uint64_t kMaxExtent = std::numeric_limits<std::int64_t>::max();
constexpr std::string_view kMetadataKey = "__metadata__";

constexpr std::array<std::pair<std::string_view, DType>, 8> kDTypes = {{{"F32", DType::f32},
                                                                        {"BF16", DType::bf16},
                                                                        {"F16", DType::f16},
                                                                        {"F64", DType::f64},
                                                                        {"I64", DType::i64},
                                                                        {"I32", DType::i32},
                                                                        {"I8", DType::i8},
                                                                        {"U8", DType::u8}}};

// `front` holds the first bytes of a file of `file_bytes`.
std::uint64_t read_length(std::string_view front, std::uint64_t file_bytes,
                          std::string_view file_name) {
  check<FormatError>(front.size() >= kLengthBytes,
                     "{}: not a safetensors file: {} bytes, shorter than the length in front",
                     file_name, file_bytes);
  std::uint64_t length = 0;
  for (std::uint64_t i = kLengthBytes; i-- > 0;) {
    length = length << 8U | static_cast<unsigned char>(front[i]);
  }
  check<FormatError>(length <= kMaxHeaderBytes,
                     "{}: not a safetensors file: its header would be {} bytes, above the limit "
                     "of {}",
                     file_name, length, kMaxHeaderBytes);
  check<FormatError>(length <= file_bytes - kLengthBytes,
                     "{}: truncated: the header of {} bytes reaches beyond the file of {}",
                     file_name, length, file_bytes);
  return length;
}

// Refuses a name or a field given twice, which a plain parse would silently merge.
class DuplicateRefusal : public HeaderJson::json_sax_t {
 public:
  explicit DuplicateRefusal(std::string_view file_name) : file_name_(file_name) {}

  bool null() override { return true; }
  bool boolean(bool /*value*/) override { return true; }
  bool number_integer(std::int64_t /*value*/) override { return true; }
  bool number_unsigned(std::uint64_t /*value*/) override { return true; }
  bool number_float(double /*value*/, const std::string& /*text*/) override { return true; }
  bool string(std::string& /*value*/) override { return true; }
  bool binary(HeaderJson::binary_t& /*value*/) override { return true; }
  bool start_object(std::size_t /*count*/) override { return go(1); }
  bool end_object() override { return go(-1); }
  bool start_array(std::size_t /*count*/) override { return go(1); }
  bool end_array() override { return go(-1); }
  bool key(std::string& name) override {
    if (depth_ == 1) {
      check<FormatError>(names_.insert(name).second, "{}: tensor '{}' is listed twice", file_name_,
                         name);
      tensor_ = name;
      fields_.clear();
    } else if (depth_ == 2) {
      check<FormatError>(fields_.insert(name).second, "{}: tensor '{}': \"{}\" is given twice",
                         file_name_, tensor_, name);
    }
    return true;
  }
  bool parse_error(std::size_t /*position*/, const std::string& /*last_token*/,
                   const HeaderJson::exception& error) override {
    fail<FormatError>("{}: the header is not valid JSON: {}", file_name_,
                      words_of_json_error(error.what()));
  }

 private:
  bool go(int levels) {
    depth_ += levels;
    return true;
  }

  std::string_view file_name_;
  std::unordered_set<std::string> names_{};
  std::string tensor_{};
  std::set<std::string> fields_{};  // of it
  int depth_ = 0;
};

HeaderJson parse_header(std::string_view text, std::string_view file_name) {
  DuplicateRefusal refusal(file_name);
  HeaderJson::sax_parse(text, &refusal);
  HeaderJson json = HeaderJson::parse(text);
  check<FormatError>(json.is_object(), "{}: the header is JSON but not an object", file_name);
  return json;
}

// One tensor's fields, each checked; messages name the file and the tensor.
class EntryParser {
 public:
  EntryParser(std::string_view file_name, const std::string& name, const HeaderJson& json)
      : file_name_(file_name), name_(name), json_(json) {}

  SafetensorsEntry parse(std::uint64_t data_bytes) const {
    require(json_.is_object(), "its description is not an object");
    SafetensorsEntry entry;
    entry.name = name_;
    entry.dtype = parse_dtype();
    const std::optional<std::uint64_t> bytes = parse_shape(entry);
    const std::vector<std::uint64_t> offsets = integers("data_offsets");
    require(offsets.size() == 2 && offsets[0] <= offsets[1],
            "data_offsets must be two numbers, the first not above the second");
    entry.begin = offsets[0];
    entry.end = offsets[1];
    require(entry.end <= data_bytes,
            "it ends at byte {} of the data, which has {}: truncated file?", entry.end, data_bytes);
    require(bytes == entry.end - entry.begin, "its {} bytes do not fit {} {}",
            entry.end - entry.begin, entry.dtype, entry.shape);
    return entry;
  }

 private:
  template <class... Args>
  void require(bool condition, fmt::format_string<Args...> what, Args&&... args) const {
    if (!condition) {
      fail<FormatError>("{}: tensor '{}': {}", file_name_, name_,
                        fmt::format(what, std::forward<Args>(args)...));
    }
  }

  const HeaderJson& field(const char* key) const {
    const auto found = json_.find(key);
    require(found != json_.end(), "no \"{}\"", key);
    return *found;
  }

  DType parse_dtype() const {
    const HeaderJson& text = field("dtype");
    require(text.is_string(), "dtype is not a string");
    const auto& wanted = text.get_ref<const std::string&>();
    const auto* found = std::find_if(kDTypes.begin(), kDTypes.end(),
                                     [&](const auto& pair) { return pair.first == wanted; });
    require(found != kDTypes.end(),
            "dtype '{}' is unknown; known are F64, F32, F16, BF16, I64, I32, I8 and U8", wanted);
    return found->second;
  }

  std::vector<std::uint64_t> integers(const char* key) const {
    const HeaderJson& list = field(key);
    require(list.is_array() && std::all_of(list.begin(), list.end(),
                                           [](const auto& n) { return n.is_number_unsigned(); }),
            "{} is not a list of whole numbers", key);
    return list.get<std::vector<std::uint64_t>>();
  }

  // Fills in the shape and returns its size in bytes; none when that overflows.
  std::optional<std::uint64_t> parse_shape(SafetensorsEntry& entry) const {
    const std::vector<std::uint64_t> extents = integers("shape");
    require(extents.size() <= Shape::kMaxRank, "rank {} is above the limit of {}", extents.size(),
            Shape::kMaxRank);
    require(std::all_of(extents.begin(), extents.end(), [](auto n) { return n <= kMaxExtent; }),
            "an extent of the shape is above 2^63");
    entry.shape = Shape(std::vector<std::int64_t>(extents.begin(), extents.end()));
    std::uint64_t bytes = size_of(entry.dtype);
    bool overflow = false;
    for (const std::uint64_t extent : extents) {
      overflow = __builtin_mul_overflow(bytes, extent, &bytes) || overflow;
    }
    return overflow ? std::nullopt : std::optional(bytes);
  }

  std::string_view file_name_;
  const std::string& name_;
  const HeaderJson& json_;
};

std::map<std::string, std::string> parse_metadata(const HeaderJson& json,
                                                  std::string_view file_name) {
  const bool strings =
      json.is_object() &&
      std::all_of(json.begin(), json.end(), [](const auto& value) { return value.is_string(); });
  check<FormatError>(strings, "{}: __metadata__ does not map strings to strings", file_name);
  return json.get<std::map<std::string, std::string>>();
}

// After sorting, each tensor must begin where the one before it ended.
void check_cover(const std::vector<SafetensorsEntry>& entries, std::uint64_t data_bytes,
                 std::string_view file_name) {
  std::uint64_t expected = 0;
  for (const SafetensorsEntry& entry : entries) {
    check<FormatError>(entry.begin >= expected, "{}: tensor '{}' overlaps the one before it",
                       file_name, entry.name);
    check<FormatError>(entry.begin == expected, "{}: {} bytes before tensor '{}' belong to none",
                       file_name, entry.begin - expected, entry.name);
    expected = entry.end;
  }
  check<FormatError>(expected == data_bytes, "{}: {} bytes at the end belong to no tensor",
                     file_name, data_bytes - expected);
}

SafetensorsHeader parse_text(std::string_view text, std::uint64_t file_bytes,
                             std::string_view file_name) {
  const HeaderJson json = parse_header(text, file_name);
  SafetensorsHeader header;
  header.data_begin = kLengthBytes + text.size();
  const std::uint64_t data_bytes = file_bytes - header.data_begin;
  header.entries.reserve(json.size());
  for (const auto& [name, value] : json.items()) {
    if (name == kMetadataKey) {
      header.metadata = parse_metadata(value, file_name);
    } else {
      header.entries.push_back(EntryParser(file_name, name, value).parse(data_bytes));
    }
  }
  std::sort(header.entries.begin(), header.entries.end(), [](const auto& a, const auto& b) {
    return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
  });
  check_cover(header.entries, data_bytes, file_name);
  return header;
}

}  // namespace

SafetensorsHeader parse_safetensors_header(std::string_view file, std::string_view file_name) {
  const std::uint64_t length = read_length(file, file.size(), file_name);
  return parse_text(file.substr(kLengthBytes, length), file.size(), file_name);
}

SafetensorsHeader read_safetensors_header(const InputFile& file) {
  const std::string name = file.path().string();
  std::string text(std::min(file.size(), kLengthBytes), '\0');
  file.read(0, text.data(), text.size());
  text.resize(read_length(text, file.size(), name));
  file.read(kLengthBytes, text.data(), text.size());
  return parse_text(text, file.size(), name);
}

std::string_view safetensors_name(DType dtype) {
  const auto* found = std::find_if(kDTypes.begin(), kDTypes.end(),
                                   [&](const auto& pair) { return pair.second == dtype; });
  return found->first;
}

}  // namespace yona
