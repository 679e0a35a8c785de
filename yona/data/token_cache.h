// The examples of a corpus as token ids, from a cache file: in memory, or mapped where it is large.
//
// The cache is made once from the text and used as long as nothing that it depends on has changed
// (cache_key.h); a cache that is stale, cut off or damaged is made again, never trusted. It is
// written aside and renamed; of two processes that need the same one, the second waits and then
// uses the first one's. Building takes bounded memory, whatever the size of the corpus.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "yona/base/mapped_file.h"
#include "yona/data/cache_key.h"
#include "yona/data/corpus.h"
#include "yona/data/token_cache_format.h"
#include "yona/data/token_cache_writer.h"

namespace yona {

class TokenCache {
 public:
  // What makes a cache: what it depends on, and what fills one that is missing.
  struct Source {
    CacheKey key;
    CacheContent content = CacheContent::tokens;
    std::vector<std::int32_t> vocabularies;  // ids of each side
    bool has_documents = false;
    // Adds every example. Throws where the corpus has none that is usable.
    std::function<CorpusReport(TokenCacheWriter&)> write;
  };

  // Opens the cache in `folder` (created if missing), making it if need be. Throws what writing it
  // throws, and IoError when it cannot be written; then no part of a cache is left.
  static TokenCache open(const Source& source, const std::filesystem::path& folder);

  std::uint64_t examples() const { return footer_.examples; }
  std::size_t sides() const { return footer_.sides; }
  CacheContent content() const { return static_cast<CacheContent>(footer_.content); }
  const CorpusReport& report() const { return report_; }
  // Names what the examples hold: equal for equal ids (or texts), lengths, lines and weights,
  // wherever the files lie and whenever they were written.
  std::string digest() const;
  bool was_built() const { return was_built_; }  // by this open(), rather than found
  const std::filesystem::path& path() const { return file_.path(); }

  // Length in tokens, tags and </s> included; of the best segmentation when content is text.
  std::uint32_t tokens(std::uint64_t example, std::size_t side) const {
    return tokens_[side][example];
  }

  // Appends the ids of a side, with what stands around the text. Content must be tokens. Throws
  // FormatError when an id is none of the vocabulary's: the file was damaged after it was opened.
  void append(std::uint64_t example, std::size_t side, std::vector<std::int32_t>& ids) const;

  // The line, without tags. Content must be text.
  std::string_view text(std::uint64_t example, std::size_t side) const;

  // The example's line in the corpus, counted from 0 over all its files.
  std::uint64_t line(std::uint64_t example) const { return lines_[example]; }
  float weight(std::uint64_t example) const {
    return weights_ == nullptr ? 1.0F : weights_[example];
  }
  // A number for the example's document; 0 when the corpus has no document ids.
  std::uint64_t document(std::uint64_t example) const {
    return documents_ == nullptr ? 0 : documents_[example];
  }

 private:
  TokenCache() = default;
  static std::optional<TokenCache> open_existing(const std::filesystem::path& path,
                                                 const Source& source);
  bool attach();
  bool has_examples_inside() const;  // of the payload, all of them
  // Where a side begins in the payload, in elements.
  std::uint64_t begin_of(std::uint64_t example, std::size_t side) const;

  MappedFile file_;
  TokenCacheFooter footer_;
  std::uint64_t examples_checksum_ = 0;  // of the index without key and report
  CorpusReport report_;
  bool was_built_ = false;
  std::vector<std::int32_t> vocabularies_;
  const char* payload_ = nullptr;
  const std::uint64_t* offsets_ = nullptr;
  std::array<const std::uint32_t*, kMostSides> tokens_{};
  std::array<const std::uint32_t*, kMostSides> extents_{};  // in elements; the tokens for ids
  const std::uint64_t* lines_ = nullptr;
  const float* weights_ = nullptr;
  const std::uint64_t* documents_ = nullptr;
};

}  // namespace yona
