#include "yona/data/token_cache_writer.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <system_error>
#include <utility>

#include "yona/base/error.h"

namespace yona {

namespace {

constexpr std::size_t kSectionBuffer = std::size_t{1} << 16U;
constexpr std::size_t kPayloadBuffer = std::size_t{1} << 20U;

}  // namespace

// An example of the index while that is being collected; sections are picked out of it at the end.
struct TokenCacheWriter::Record {
  std::uint64_t offset = 0;
  std::uint64_t line = 0;
  std::uint64_t document = 0;
  std::array<std::uint32_t, kMostSides> tokens{};
  std::array<std::uint32_t, kMostSides> extents{};
  float weight = 1;
  std::uint32_t reserved = 0;
};

TemporaryFile::TemporaryFile(std::filesystem::path path, std::string_view suffix)
    : path_(std::move(path)) {
  path_ += suffix;
}

TemporaryFile::~TemporaryFile() {
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

TokenCacheWriter::TokenCacheWriter(const std::filesystem::path& path, CacheContent content,
                                   const std::vector<std::int32_t>& vocabularies,
                                   bool has_documents)
    : path_(path),
      main_(path, ".tmp"),
      spill_(path, ".index.tmp"),
      file_(main_.path()),
      index_(spill_.path()) {
  footer_.content = static_cast<std::uint64_t>(content);
  footer_.sides = vocabularies.size();
  const bool narrow = *std::max_element(vocabularies.begin(), vocabularies.end()) <=
                      std::numeric_limits<std::uint16_t>::max() + 1;
  footer_.element_bytes = content == CacheContent::text ? 1 : narrow ? 2 : 4;
  footer_.has_documents = has_documents ? 1 : 0;
  file_.write(&kTokenCacheMagic, sizeof(kTokenCacheMagic));
}

void TokenCacheWriter::add(const Example& example) {
  Record record;
  record.offset = footer_.elements;
  record.line = example.line;
  record.document = example.document;
  record.weight = example.weight;
  for (std::size_t side = 0; side < footer_.sides; ++side) {
    record.tokens[side] = static_cast<std::uint32_t>(example.ids[side].size());
    record.extents[side] = record.tokens[side];
    if (footer_.content == static_cast<std::uint64_t>(CacheContent::text)) {
      record.extents[side] = static_cast<std::uint32_t>(example.texts[side].size());
      payload_ += example.texts[side];
    } else {
      append_ids(example.ids[side]);
    }
    footer_.elements += record.extents[side];
  }
  footer_.has_weights |= example.weight != 1.0F ? 1U : 0U;
  ++footer_.examples;
  records_.append(reinterpret_cast<const char*>(&record), sizeof(record));
  if (payload_.size() + records_.size() >= kPayloadBuffer) {
    flush();
  }
}

void TokenCacheWriter::append_ids(std::span<const std::int32_t> ids) {
  if (footer_.element_bytes == 4) {
    payload_.append(reinterpret_cast<const char*>(ids.data()), ids.size() * 4);
    return;
  }
  for (const std::int32_t id : ids) {
    const auto narrow = static_cast<std::uint16_t>(id);
    payload_.append(reinterpret_cast<const char*>(&narrow), sizeof(narrow));
  }
}

void TokenCacheWriter::flush() {
  footer_.payload_checksum = checksum(payload_, footer_.payload_checksum);
  file_.write(payload_);
  index_.write(records_);
  payload_.clear();
  records_.clear();
}

void TokenCacheWriter::write_index_bytes(std::string_view bytes) {
  footer_.index_checksum = checksum(bytes, footer_.index_checksum);
  file_.write(bytes);
}

void TokenCacheWriter::align() {
  constexpr std::string_view kZeros("\0\0\0\0\0\0\0", 7);
  write_index_bytes(kZeros.substr(0, static_cast<std::size_t>(-file_.written() & 7)));
}

template <class T, class Pick>
void TokenCacheWriter::write_section(const MappedFile& spilled, const Pick& pick) {
  const std::string_view records = spilled.bytes();
  std::string buffer;
  std::size_t begin = 0;  // of the records in the buffer
  for (std::size_t at = 0; at < records.size(); at += sizeof(Record)) {
    Record record;
    std::memcpy(&record, records.data() + at, sizeof(record));
    const T value = pick(record);
    buffer.append(reinterpret_cast<const char*>(&value), sizeof(value));
    if (buffer.size() >= kSectionBuffer) {
      write_index_bytes(buffer);
      buffer.clear();
      spilled.forget(records.substr(begin, at - begin));
      begin = at;
    }
  }
  write_index_bytes(buffer);
  align();
}

void TokenCacheWriter::write_index(const MappedFile& records) {
  write_section<std::uint64_t>(records, [](const Record& r) { return r.offset; });
  for (std::size_t side = 0; side < footer_.sides; ++side) {
    write_section<std::uint32_t>(records, [&](const Record& r) { return r.tokens[side]; });
  }
  if (footer_.content == static_cast<std::uint64_t>(CacheContent::text)) {
    for (std::size_t side = 0; side < footer_.sides; ++side) {
      write_section<std::uint32_t>(records, [&](const Record& r) { return r.extents[side]; });
    }
  }
  write_section<std::uint64_t>(records, [](const Record& r) { return r.line; });
  if (footer_.has_weights != 0) {
    write_section<float>(records, [](const Record& r) { return r.weight; });
  }
  if (footer_.has_documents != 0) {
    write_section<std::uint64_t>(records, [](const Record& r) { return r.document; });
  }
}

void TokenCacheWriter::finish(const CacheKey& key, const CorpusReport& report) {
  flush();
  // The padding after the payload belongs to no checksum: it is not read.
  constexpr std::string_view kZeros("\0\0\0\0\0\0\0", 7);
  file_.write(kZeros.substr(0, static_cast<std::size_t>(-file_.written() & 7)));
  write_index(MappedFile(spill_.path()));
  const std::string report_text =
      report.to_json().dump(-1, ' ', false, Json::error_handler_t::replace);
  footer_.key_bytes = key.text.size();
  footer_.report_bytes = report_text.size();
  write_index_bytes(key.text);
  align();
  write_index_bytes(report_text);
  align();
  footer_.footer_checksum = checksum(
      {reinterpret_cast<const char*>(&footer_), offsetof(TokenCacheFooter, footer_checksum)});
  file_.write(&footer_, sizeof(footer_));
  file_.close();
  std::error_code error;
  std::filesystem::rename(main_.path(), path_, error);
  check<IoError>(!error, "cannot replace {}: {}", path_.string(), error.message());
  sync_folder(path_.parent_path());
}

}  // namespace yona
