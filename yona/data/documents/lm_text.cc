#include "yona/data/documents/lm_text.h"

#include <algorithm>
#include <utility>

#include "yona/base/error.h"
#include "yona/base/human.h"
#include "yona/base/random.h"

namespace yona {

namespace {

constexpr std::size_t kBlock = 1024;                   // tokens of a stream that lie together
constexpr std::size_t kSlice = std::size_t{1} << 16U;  // bytes that a thread encodes at once
constexpr std::size_t kChunk = std::size_t{4} << 20U;  // bytes in memory at once

CacheKey key_of(const LmTextOptions& options) {
  CacheKey key;
  key.text = fmt::format("text {} {} {} {} {}\n{}\n", static_cast<int>(options.unit),
                         static_cast<int>(options.packing), options.start_id, options.end_id,
                         kTokenCacheVersion, options.tokenizer_identity);
  std::uint64_t sum = checksum(options.name, checksum(key.text));
  for (const std::filesystem::path& file : options.files) {
    const FileContent content = file_content(file);
    key.text += fmt::format("{} {:016x}\n", content.bytes, content.checksum);
    sum = checksum(std::filesystem::absolute(file).string(), sum);
  }
  key.file_name = fmt::format("{}-{:016x}.tokens", options.name, sum);
  return key;
}

// The tokens of a text that follows a line feed. SentencePiece puts a space in front of a text:
// that is wanted at the beginning of a document alone.
void encode_next(const TextTokenizer& tokenizer, std::string_view text,
                 std::vector<std::int32_t>& ids) {
  const std::vector<std::int32_t> before = tokenizer.encode("\n");
  tokenizer.encode(fmt::format("\n{}", text), ids);
  if (ids.size() >= before.size() && std::equal(before.begin(), before.end(), ids.begin())) {
    ids.erase(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(before.size()));
    return;
  }
  ids.clear();
  tokenizer.encode(text, ids);
}

// A document's parts, or a part's slices, encoded by all threads, in their order.
class ChunkEncoder {
 public:
  ChunkEncoder(const TextTokenizer& tokenizer, ThreadPool& pool)
      : tokenizer_(tokenizer), pool_(pool) {}

  void add(const DocumentReader::Part& part) {
    std::string_view rest = part.text;
    while (!rest.empty()) {
      std::size_t cut = rest.size() > kSlice ? cut_after_line(rest, kSlice) : rest.size();
      cut = std::min(cut, rest.size());
      slices_.push_back({std::string(rest.substr(0, cut)), {}, after_line_, false});
      after_line_ = rest[cut - 1] == '\n';
      rest.remove_prefix(cut);
      bytes_ += cut;
    }
    if (!slices_.empty()) {
      slices_.back().ends = part.ends;
    }
    after_line_ = after_line_ && !part.ends;
  }
  bool is_full() const { return bytes_ >= kChunk; }

  // Calls take(ids, ends) for each slice.
  template <class Take>
  void flush(const Take& take) {
    pool_.run(static_cast<std::int64_t>(slices_.size()), [&](std::int64_t i) {
      Slice& slice = slices_[static_cast<std::size_t>(i)];
      if (slice.after_line) {
        encode_next(tokenizer_, slice.text, slice.ids);
      } else {
        tokenizer_.encode(slice.text, slice.ids);
      }
    });
    for (const Slice& slice : slices_) {
      take(slice.ids, slice.ends);
    }
    slices_.clear();
    bytes_ = 0;
  }

 private:
  struct Slice {
    std::string text;
    std::vector<std::int32_t> ids;
    bool after_line;  // of the same document
    bool ends;
  };
  const TextTokenizer& tokenizer_;
  ThreadPool& pool_;
  std::vector<Slice> slices_;
  bool after_line_ = false;
  std::size_t bytes_ = 0;
};

// Puts tokens into the cache: blocks of a stream, or documents.
class CacheFiller {
 public:
  CacheFiller(const LmTextOptions& options, TokenCacheWriter& writer)
      : options_(options), writer_(writer) {}

  void add(const std::vector<std::int32_t>& ids, bool ends) {
    if (begins_ && options_.packing == TextPacking::documents && options_.start_id >= 0) {
      held_.push_back(options_.start_id);
    }
    begins_ = ends;
    held_.insert(held_.end(), ids.begin(), ids.end());
    if (ends && options_.end_id >= 0) {
      held_.push_back(options_.end_id);
    }
    if (options_.packing == TextPacking::documents) {
      if (ends) {
        write(held_.size());
      }
      return;
    }
    while (held_.size() >= kBlock) {
      write(kBlock);
    }
  }
  void finish() {
    if (!held_.empty()) {
      write(held_.size());
    }
  }

 private:
  void write(std::size_t count) {
    if (count == 0) {
      return;
    }
    TokenCacheWriter::Example example;
    example.line = writer_.examples();
    example.ids[0] = std::span(held_).first(count);
    writer_.add(example);
    held_.erase(held_.begin(), held_.begin() + static_cast<std::ptrdiff_t>(count));
  }

  const LmTextOptions& options_;
  TokenCacheWriter& writer_;
  bool begins_ = true;  // a document
  std::vector<std::int32_t> held_;
};

CorpusReport write_cache(const LmTextOptions& options, const TextTokenizer& tokenizer,
                         ThreadPool& pool, TokenCacheWriter& writer) {
  DocumentReader reader(options.files, options.unit);
  ChunkEncoder encoder(tokenizer, pool);
  CacheFiller filler(options, writer);
  CorpusReport report;
  report.name = options.name;
  const auto take = [&](const std::vector<std::int32_t>& ids, bool ends) { filler.add(ids, ends); };
  for (DocumentReader::Part part; reader.next(part);) {
    report.lines += part.text.size();
    encoder.add(part);
    if (encoder.is_full()) {
      encoder.flush(take);
    }
  }
  encoder.flush(take);
  filler.finish();
  check<FormatError>(writer.examples() > 0, "{}: there is no text to read",
                     options.files.empty() ? options.name : options.files.front().string());
  report.pairs = writer.examples();
  return report;
}

}  // namespace

LmText LmText::open(const LmTextOptions& options, const TextTokenizer& tokenizer,
                    const std::filesystem::path& folder, ThreadPool& pool) {
  const CacheKey key = key_of(options);
  const auto write = [&](TokenCacheWriter& writer) {
    CorpusReport report = write_cache(options, tokenizer, pool, writer);
    check<FormatError>(key_of(options).text == key.text,
                       "{}: a file changed while it was read; start again", options.name);
    return report;
  };
  return LmText(options,
                TokenCache::open({.key = key,
                                  .content = CacheContent::tokens,
                                  .vocabularies = {static_cast<std::int32_t>(tokenizer.size())},
                                  .has_documents = false,
                                  .write = write},
                                 folder));
}

LmText::LmText(LmTextOptions options, TokenCache cache)
    : options_(std::move(options)), cache_(std::move(cache)) {
  const std::uint64_t count = cache_.examples();
  for (std::uint64_t i = 0; i < count; ++i) {
    tokens_ += cache_.tokens(i, 0);
  }
  const std::int64_t context = options_.context;
  std::uint64_t examples = 0;
  if (options_.packing == TextPacking::stream) {
    check<FormatError>(tokens_ >= 2, "{}: a text of {} has nothing to predict", options_.name,
                       counted(static_cast<std::uint64_t>(tokens_), "token"));
    examples = static_cast<std::uint64_t>((tokens_ - 1 + context - 1) / context);
    if (options_.draws_start && tokens_ - 1 > context) {
      examples = static_cast<std::uint64_t>((tokens_ - 1) / context);
    }
  } else {
    first_piece_.push_back(0);
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto predicted = static_cast<std::int64_t>(cache_.tokens(i, 0)) - 1;
      examples += static_cast<std::uint64_t>((predicted + context - 1) / context);
      first_piece_.push_back(examples);
    }
    check<FormatError>(examples > 0, "{}: no document has two tokens", options_.name);
  }
  add_part(options_.name, 1.0, examples, cache_.digest());
}

// Tokens begin … begin + length - 1 are read, and each predicts the one after it.
LmText::Window LmText::window(std::uint64_t example, const Draw& draw) const {
  const std::int64_t context = options_.context;
  if (options_.packing == TextPacking::documents) {
    const auto after = std::upper_bound(first_piece_.begin(), first_piece_.end(), example);
    const auto document = static_cast<std::int64_t>(after - first_piece_.begin()) - 1;
    const auto piece =
        static_cast<std::int64_t>(example - first_piece_[static_cast<std::size_t>(document)]);
    const auto length =
        static_cast<std::int64_t>(cache_.tokens(static_cast<std::uint64_t>(document), 0));
    const std::int64_t begin = piece * context;
    return {document, begin, std::min(context, length - 1 - begin)};
  }
  std::int64_t begin = static_cast<std::int64_t>(example) * context;
  if (options_.draws_start && tokens_ - 1 > context) {
    RandomSequence random(
        mix(mix(draw.seed, hash_name("stream start")), static_cast<std::uint64_t>(draw.epoch)));
    begin += static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(context)));
    begin = std::min(begin, tokens_ - 1 - context);
  }
  return {-1, begin, std::min(context, tokens_ - 1 - begin)};
}

Examples::Lengths LmText::lengths(std::uint64_t example) const {
  const std::int64_t length = window(example, {}).length;
  return {length, length};
}

void LmText::append_stream(std::int64_t begin, std::int64_t count,
                           std::vector<std::int32_t>& ids) const {
  constexpr auto kSize = static_cast<std::int64_t>(kBlock);
  std::vector<std::int32_t> block;
  while (count > 0) {
    block.clear();
    cache_.append(static_cast<std::uint64_t>(begin / kSize), 0, block);
    const std::int64_t from = begin % kSize;
    const std::int64_t some = std::min(count, static_cast<std::int64_t>(block.size()) - from);
    ids.insert(ids.end(), block.begin() + from, block.begin() + from + some);
    begin += some;
    count -= some;
  }
}

void LmText::append_window(const Window& window, Batch& batch) const {
  std::vector<std::int32_t> ids;
  std::int64_t begin = window.begin;
  if (window.document >= 0) {
    cache_.append(static_cast<std::uint64_t>(window.document), 0, ids);
  } else {
    append_stream(begin, window.length + 1, ids);
    begin = 0;
  }
  const auto first = ids.begin() + begin;
  batch.sides[0].ids.insert(batch.sides[0].ids.end(), first, first + window.length);
  batch.sides[1].ids.insert(batch.sides[1].ids.end(), first + 1, first + window.length + 1);
  batch.sides[0].end_example();
  batch.sides[1].end_example();
}

void LmText::fill(std::span<const std::uint32_t> examples, std::int64_t /*batch_tokens*/,
                  const Draw& draw, Batch& batch) const {
  batch.clear();
  for (const std::uint32_t example : examples) {
    append_window(window(example, draw), batch);
    batch.example_ids.push_back(example_id(0, example));
    batch.weights.push_back(1.0F);
  }
}

}  // namespace yona
