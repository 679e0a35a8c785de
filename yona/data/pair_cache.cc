// Pairs are read in chunks, a chunk is encoded by the pool, and its pairs are added in their order.

#include "yona/data/pair_cache.h"

#include <algorithm>
#include <vector>

#include "yona/base/error.h"

namespace yona {

namespace {

constexpr std::size_t kChunkPairs = 8192;
constexpr std::size_t kChunkBytes = std::size_t{8} << 20U;
constexpr std::int64_t kSlicePairs = 64;

// One pair on its way into the cache.
struct EncodedPair {
  std::vector<std::int32_t> source, target;
  bool empty = false;
};

class PairEncoding {
 public:
  PairEncoding(const CorpusSpec& corpus, const PairEncoder& encoder, std::int64_t max_length,
               ThreadPool& pool)
      : source_(encoder.source.with_tags(corpus.source_tags)),
        target_(encoder.target.with_tags(corpus.target_tags)),
        max_length_(max_length),
        pool_(pool) {}

  void add_chunk(const std::vector<TextPair>& pairs, std::size_t count, CorpusReport& report,
                 TokenCacheWriter& writer);

 private:
  void encode(const TextPair& pair, EncodedPair& encoded) const;

  SideEncoder source_, target_;
  std::int64_t max_length_;
  ThreadPool& pool_;
  std::vector<EncodedPair> encoded_ = std::vector<EncodedPair>(kChunkPairs);
};

void PairEncoding::encode(const TextPair& pair, EncodedPair& encoded) const {
  encoded.source.clear();
  encoded.target.clear();
  const bool has_source = source_.encode(pair.source, encoded.source);
  const bool has_target = target_.encode(pair.target, encoded.target);
  encoded.empty = !has_source || !has_target;
}

void PairEncoding::add_chunk(const std::vector<TextPair>& pairs, std::size_t count,
                             CorpusReport& report, TokenCacheWriter& writer) {
  pool_.run_ranges(
      static_cast<std::int64_t>(count), kSlicePairs, [&](std::int64_t begin, std::int64_t end) {
        for (auto at = static_cast<std::size_t>(begin); at < static_cast<std::size_t>(end); ++at) {
          encode(pairs[at], encoded_[at]);
        }
      });
  for (std::size_t at = 0; at < count; ++at) {
    const TextPair& pair = pairs[at];
    const EncodedPair& encoded = encoded_[at];
    const std::size_t longest = std::max(encoded.source.size(), encoded.target.size());
    if (encoded.empty) {
      report.empty.add(pair.file, pair.file_line);
    } else if (longest > static_cast<std::size_t>(max_length_)) {
      report.too_long.add(pair.file, pair.file_line);
    } else {
      writer.add({.line = pair.line,
                  .document = pair.document,
                  .weight = pair.weight,
                  .ids = {encoded.source, encoded.target},
                  .texts = {pair.source, pair.target}});
    }
  }
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

TokenCache open_pair_cache(const CorpusSpec& corpus, const PairEncoder& encoder,
                           const TokenizeOptions& options, const std::filesystem::path& folder,
                           ThreadPool& pool) {
  check_corpus(corpus);
  check(options.max_length >= 2, "corpus {}: max_length is {}; it must be 2 or more", corpus.name,
        options.max_length);
  const CacheKey key = cache_key(corpus, encoder, options);
  const auto write = [&](TokenCacheWriter& writer) {
    PairReader reader(corpus);
    CorpusReport& report = reader.report();
    report.max_length = options.max_length;
    PairEncoding encoding(corpus, encoder, options.max_length, pool);
    std::vector<TextPair> pairs(kChunkPairs);
    while (const std::size_t count = read_chunk(reader, pairs)) {
      encoding.add_chunk(pairs, count, report, writer);
    }
    report.pairs = writer.examples();
    check_not_empty(report);
    check<FormatError>(cache_key(corpus, encoder, options).text == key.text,
                       "corpus {}: a file changed while it was read; start again", corpus.name);
    return report;
  };
  return TokenCache::open(
      {.key = key,
       .content = options.content,
       .vocabularies = {encoder.source.subword.vocabulary().size(),
                        encoder.target.subword.vocabulary().size()},
       .has_documents = corpus.columns.document > 0 && !corpus.tsv_files.empty(),
       .write = write},
      folder);
}

}  // namespace yona
