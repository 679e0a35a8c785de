// Pairs are read in chunks, a chunk is encoded by the pool, and its pairs are appended in their
// order. The index is collected in a second file, because its sections follow the payload.

#include "yona/data/token_cache_builder.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <system_error>
#include <utility>

#include "yona/base/error.h"
#include "yona/base/file_writer.h"
#include "yona/base/mapped_file.h"
#include "yona/data/token_cache_format.h"

namespace yona {

namespace {

constexpr std::size_t kChunkPairs = 8192;
constexpr std::size_t kChunkBytes = std::size_t{8} << 20U;
constexpr std::int64_t kSlicePairs = 64;
constexpr std::size_t kSectionBuffer = std::size_t{1} << 16U;

// One pair on its way into the cache.
struct Encoded {
  std::vector<std::int32_t> ids;  // source, then target
  std::size_t source_count = 0;
  bool empty = false;
};

// The index while it is being collected; sections are picked out of it at the end.
struct Record {
  std::uint64_t offset = 0;
  std::uint64_t line = 0;
  std::uint64_t document = 0;
  std::uint32_t source_tokens = 0;
  std::uint32_t target_tokens = 0;
  std::uint32_t source_extent = 0;
  std::uint32_t target_extent = 0;
  float weight = 1;
  std::uint32_t reserved = 0;
};

// Removed when the builder ends, however it ends (unless it was renamed away).
class Temporary {
 public:
  Temporary(std::filesystem::path path, std::string_view suffix) : path_(std::move(path)) {
    path_ += suffix;
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  ~Temporary() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

class Builder {
 public:
  Builder(const CorpusSpec& corpus, const PairEncoder& encoder, const TokenizeOptions& options,
          const std::filesystem::path& path, ThreadPool& pool)
      : source_(encoder.source.with_tags(corpus.source_tags)),
        target_(encoder.target.with_tags(corpus.target_tags)),
        options_(options),
        pool_(pool),
        main_(path, ".tmp"),
        spill_(path, ".index.tmp"),
        file_(main_.path()),
        index_(spill_.path()) {
    footer_.content = static_cast<std::uint64_t>(options.content);
    const auto largest =
        std::max(source_.subword.vocabulary().size(), target_.subword.vocabulary().size());
    const bool narrow = largest <= std::numeric_limits<std::uint16_t>::max() + 1;
    footer_.element_bytes = options.content == CacheContent::text ? 1 : narrow ? 2 : 4;
    footer_.has_documents = corpus.columns.document > 0 && !corpus.tsv_files.empty() ? 1 : 0;
    file_.write(&kTokenCacheMagic, sizeof(kTokenCacheMagic));
  }

  void add_chunk(const std::vector<TextPair>& pairs, std::size_t count, CorpusReport& report);
  void finish(const CacheKey& key, const CorpusReport& report);
  const std::filesystem::path& temporary() const { return main_.path(); }
  std::uint64_t pairs() const { return footer_.pairs; }

 private:
  void encode(const TextPair& pair, Encoded& encoded) const;
  void append(const TextPair& pair, const Encoded& encoded);
  void append_payload(const Encoded& encoded);
  template <class T, class Pick>
  void write_section(const MappedFile& spilled, const Pick& pick);
  void write_index_bytes(std::string_view bytes);
  void align();

  SideEncoder source_, target_;
  const TokenizeOptions& options_;
  ThreadPool& pool_;
  Temporary main_;
  Temporary spill_;
  FileWriter file_;
  FileWriter index_;
  std::vector<Encoded> encoded_ = std::vector<Encoded>(kChunkPairs);
  std::string payload_;
  std::string records_;
  TokenCacheFooter footer_;
};

void Builder::encode(const TextPair& pair, Encoded& encoded) const {
  encoded.ids.clear();
  const bool has_source = source_.encode(pair.source, encoded.ids);
  encoded.source_count = encoded.ids.size();
  const bool has_target = target_.encode(pair.target, encoded.ids);
  encoded.empty = !has_source || !has_target;
}

void Builder::add_chunk(const std::vector<TextPair>& pairs, std::size_t count,
                        CorpusReport& report) {
  pool_.run_ranges(
      static_cast<std::int64_t>(count), kSlicePairs, [&](std::int64_t begin, std::int64_t end) {
        for (auto at = static_cast<std::size_t>(begin); at < static_cast<std::size_t>(end); ++at) {
          encode(pairs[at], encoded_[at]);
        }
      });
  for (std::size_t at = 0; at < count; ++at) {
    const Encoded& encoded = encoded_[at];
    const std::size_t longest =
        std::max(encoded.source_count, encoded.ids.size() - encoded.source_count);
    if (encoded.empty) {
      report.empty.add(pairs[at].file, pairs[at].file_line);
    } else if (longest > static_cast<std::size_t>(options_.max_length)) {
      report.too_long.add(pairs[at].file, pairs[at].file_line);
    } else {
      append(pairs[at], encoded);
    }
  }
  footer_.payload_checksum = checksum(payload_, footer_.payload_checksum);
  file_.write(payload_);
  index_.write(records_);
  payload_.clear();
  records_.clear();
}

void Builder::append(const TextPair& pair, const Encoded& encoded) {
  Record record;
  record.offset = footer_.elements;
  record.line = pair.line;
  record.document = pair.document;
  record.weight = pair.weight;
  record.source_tokens = static_cast<std::uint32_t>(encoded.source_count);
  record.target_tokens = static_cast<std::uint32_t>(encoded.ids.size() - encoded.source_count);
  record.source_extent = record.source_tokens;
  record.target_extent = record.target_tokens;
  if (options_.content == CacheContent::text) {
    record.source_extent = static_cast<std::uint32_t>(pair.source.size());
    record.target_extent = static_cast<std::uint32_t>(pair.target.size());
    payload_ += pair.source;
    payload_ += pair.target;
  } else {
    append_payload(encoded);
  }
  footer_.elements += record.source_extent + record.target_extent;
  footer_.has_weights |= pair.weight != 1.0F ? 1U : 0U;
  ++footer_.pairs;
  records_.append(reinterpret_cast<const char*>(&record), sizeof(record));
}

void Builder::append_payload(const Encoded& encoded) {
  if (footer_.element_bytes == 4) {
    payload_.append(reinterpret_cast<const char*>(encoded.ids.data()), encoded.ids.size() * 4);
    return;
  }
  for (const std::int32_t id : encoded.ids) {
    const auto narrow = static_cast<std::uint16_t>(id);
    payload_.append(reinterpret_cast<const char*>(&narrow), sizeof(narrow));
  }
}

void Builder::write_index_bytes(std::string_view bytes) {
  footer_.index_checksum = checksum(bytes, footer_.index_checksum);
  file_.write(bytes);
}

void Builder::align() {
  constexpr std::string_view kZeros("\0\0\0\0\0\0\0", 7);
  write_index_bytes(kZeros.substr(0, static_cast<std::size_t>(-file_.written() & 7)));
}

template <class T, class Pick>
void Builder::write_section(const MappedFile& spilled, const Pick& pick) {
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

void Builder::finish(const CacheKey& key, const CorpusReport& report) {
  // The padding after the payload belongs to no checksum: it is not read.
  constexpr std::string_view kZeros("\0\0\0\0\0\0\0", 7);
  file_.write(kZeros.substr(0, static_cast<std::size_t>(-file_.written() & 7)));
  const MappedFile records(spill_.path());
  write_section<std::uint64_t>(records, [](const Record& r) { return r.offset; });
  write_section<std::uint32_t>(records, [](const Record& r) { return r.source_tokens; });
  write_section<std::uint32_t>(records, [](const Record& r) { return r.target_tokens; });
  if (options_.content == CacheContent::text) {
    write_section<std::uint32_t>(records, [](const Record& r) { return r.source_extent; });
    write_section<std::uint32_t>(records, [](const Record& r) { return r.target_extent; });
  }
  write_section<std::uint64_t>(records, [](const Record& r) { return r.line; });
  if (footer_.has_weights != 0) {
    write_section<float>(records, [](const Record& r) { return r.weight; });
  }
  if (footer_.has_documents != 0) {
    write_section<std::uint64_t>(records, [](const Record& r) { return r.document; });
  }
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
}

// Up to kChunkPairs pairs or kChunkBytes bytes; strings of earlier chunks keep their storage.
std::size_t read_chunk(PairReader& reader, std::vector<TextPair>& pairs) {
  std::size_t count = 0;
  std::size_t bytes = 0;
  while (count < kChunkPairs && bytes < kChunkBytes && reader.next(pairs[count])) {
    bytes += pairs[count].source.size() + pairs[count].target.size();
    ++count;
  }
  return count;
}

void check_not_empty(const CorpusReport& report) {
  check<FormatError>(
      report.pairs > 0,
      "corpus {}: none of its {} lines is usable ({} empty, {} longer than {} tokens, {} not "
      "UTF-8, {} malformed); check the files, their columns and data.max_length",
      report.name, report.lines, report.empty.count, report.too_long.count, report.max_length,
      report.invalid_utf8.count, report.malformed.count);
}

}  // namespace

void build_token_cache(const CorpusSpec& corpus, const PairEncoder& encoder,
                       const TokenizeOptions& options, const CacheKey& key,
                       const std::filesystem::path& path, ThreadPool& pool) {
  PairReader reader(corpus);
  CorpusReport& report = reader.report();
  report.max_length = options.max_length;
  Builder builder(corpus, encoder, options, path, pool);
  std::vector<TextPair> pairs(kChunkPairs);
  while (const std::size_t count = read_chunk(reader, pairs)) {
    builder.add_chunk(pairs, count, report);
  }
  report.pairs = builder.pairs();
  check_not_empty(report);
  check<FormatError>(cache_key(corpus, encoder, options).text == key.text,
                     "corpus {}: a file changed while it was read; start again", corpus.name);
  builder.finish(key, report);
  std::error_code error;
  std::filesystem::rename(builder.temporary(), path, error);
  check<IoError>(!error, "cannot replace {}: {}", path.string(), error.message());
  sync_folder(path.parent_path());
}

}  // namespace yona
