#include "yona/decode/shortlist.h"

#include <algorithm>
#include <cstring>

#include "yona/base/error.h"
#include "yona/io/atomic_file.h"
#include "yona/io/safetensors.h"

namespace yona {

namespace {

constexpr std::string_view kShortlistFormat = "yona-shortlist-1";

template <class T>
std::vector<T> read_numbers(const SafetensorsFile& file, const char* name, DType dtype) {
  const auto array = file.find(name);
  check<FormatError>(array && array->dtype == dtype && array->shape.rank() == 1,
                     "{}: not a shortlist: it has no list '{}'", file.path().string(), name);
  std::vector<T> values(static_cast<std::size_t>(array->shape.elements()));
  if (!values.empty()) {
    std::memcpy(values.data(), array->data, array->bytes());
  }
  return values;
}

template <class T>
NamedArray array_of(const char* name, DType dtype, const std::vector<T>& values) {
  return {name, dtype, Shape{static_cast<std::int64_t>(values.size())}, values.data()};
}

}  // namespace

void sort_ids(Ids& ids) {
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
}

Shortlist::Shortlist(Parts parts, std::string_view name) : parts_(std::move(parts)), name_(name) {
  const auto& offsets = parts_.offsets;
  check<FormatError>(!offsets.empty() && offsets.front() == 0 &&
                         std::is_sorted(offsets.begin(), offsets.end()) &&
                         offsets.back() == static_cast<std::int64_t>(parts_.targets.size()),
                     "{}: the shortlist's parts do not fit together", name);
  check<FormatError>(!parts_.copies || source_vocabulary() <= target_vocabulary(),
                     "{}: the shortlist is of one vocabulary, but has {} source and {} target ids",
                     name, source_vocabulary(), target_vocabulary());
  const auto is_id = [&](std::int32_t id) { return id >= 0 && id < parts_.target_vocabulary; };
  check<FormatError>(std::all_of(parts_.targets.begin(), parts_.targets.end(), is_id) &&
                         std::all_of(parts_.always.begin(), parts_.always.end(), is_id),
                     "{}: the shortlist has ids beyond its vocabulary of {}", name,
                     parts_.target_vocabulary);
}

Shortlist Shortlist::load(const std::filesystem::path& path) {
  const SafetensorsFile file(path);
  const auto format = file.metadata().find("format");
  check<FormatError>(format != file.metadata().end() && format->second == kShortlistFormat,
                     "{}: not a shortlist of this version of yona; `yona shortlist` makes one",
                     path.string());
  const auto sizes = read_numbers<std::int64_t>(file, "sizes", DType::i64);
  check<FormatError>(sizes.size() == 2, "{}: not a shortlist: it has {} sizes instead of 2",
                     path.string(), sizes.size());
  const auto vocabulary = file.metadata().find("vocabulary");
  return Shortlist({.target_vocabulary = sizes[0],
                    .offsets = read_numbers<std::int64_t>(file, "offsets", DType::i64),
                    .targets = read_numbers<std::int32_t>(file, "targets", DType::i32),
                    .always = read_numbers<std::int32_t>(file, "always", DType::i32),
                    .copies = sizes[1] != 0,
                    .vocabulary = vocabulary != file.metadata().end() ? vocabulary->second : ""},
                   path.string());
}

void Shortlist::save(const std::filesystem::path& path) const {
  const std::vector<std::int64_t> sizes{parts_.target_vocabulary, parts_.copies ? 1 : 0};
  const std::vector<NamedArray> arrays{array_of("sizes", DType::i64, sizes),
                                       array_of("offsets", DType::i64, parts_.offsets),
                                       array_of("targets", DType::i32, parts_.targets),
                                       array_of("always", DType::i32, parts_.always)};
  SafetensorsMetadata metadata{{"format", std::string(kShortlistFormat)}};
  if (!parts_.vocabulary.empty()) {
    metadata["vocabulary"] = parts_.vocabulary;
  }
  replace_file(path, [&](const std::filesystem::path& temporary) {
    write_safetensors(temporary, arrays, metadata);
  });
}

Ids Shortlist::candidates(const Ids& source) const {
  Ids pieces = source;
  sort_ids(pieces);
  Ids ids = parts_.always;
  for (const std::int32_t piece : pieces) {
    check(piece >= 0 && piece < source_vocabulary(),
          "shortlist: source id {} is beyond its vocabulary of {}", piece, source_vocabulary());
    const auto from = static_cast<std::size_t>(piece);
    ids.insert(ids.end(), parts_.targets.begin() + parts_.offsets[from],
               parts_.targets.begin() + parts_.offsets[from + 1]);
    if (parts_.copies) {
      ids.push_back(piece);
    }
  }
  sort_ids(ids);
  return ids;
}

}  // namespace yona
