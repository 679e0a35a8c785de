// Sentence pairs of a corpus as token ids, from a cache file: in memory, or mapped where it is
// large.
//
// The cache is made once from the text and used as long as nothing that it depends on has changed
// (cache_key.h); a cache that is stale, cut off or damaged is made again, never trusted. It is
// written aside and renamed; of two processes that need the same one, the second waits and then
// uses the first one's. Building takes bounded memory, whatever the size of the corpus.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "yona/base/mapped_file.h"
#include "yona/base/thread_pool.h"
#include "yona/data/cache_key.h"
#include "yona/data/corpus.h"
#include "yona/data/token_cache_format.h"

namespace yona {

class TokenCache {
 public:
  // Opens the cache of this corpus in `folder` (created if missing), building it if need be.
  // Throws FormatError when the corpus has no usable pair or its files do not match, IoError when
  // it cannot be read or the cache cannot be written; then no part of a cache is left.
  static TokenCache open(const CorpusSpec& corpus, const PairEncoder& encoder,
                         const TokenizeOptions& options, const std::filesystem::path& folder,
                         ThreadPool& pool);

  std::uint64_t pairs() const { return footer_.pairs; }
  CacheContent content() const { return static_cast<CacheContent>(footer_.content); }
  const CorpusReport& report() const { return report_; }
  // Names what the pairs hold: equal for equal ids (or texts), lengths, lines and weights, wherever
  // the files lie and whenever they were written.
  std::string digest() const;
  bool was_built() const { return was_built_; }  // by this open(), rather than found
  const std::filesystem::path& path() const { return file_.path(); }

  // Lengths in tokens, tags and </s> included; of the best segmentation when content is text.
  std::uint32_t source_tokens(std::uint64_t pair) const { return source_tokens_[pair]; }
  std::uint32_t target_tokens(std::uint64_t pair) const { return target_tokens_[pair]; }

  // Appends the ids of a side, with what stands around the text. Content must be tokens. Throws
  // FormatError when an id is none of the vocabulary's: the file was damaged after it was opened.
  void append_source(std::uint64_t pair, std::vector<std::int32_t>& ids) const;
  void append_target(std::uint64_t pair, std::vector<std::int32_t>& ids) const;

  // The lines, without tags. Content must be text.
  std::string_view source_text(std::uint64_t pair) const;
  std::string_view target_text(std::uint64_t pair) const;

  // The pair's line in the corpus, counted from 0 over all its files.
  std::uint64_t line(std::uint64_t pair) const { return lines_[pair]; }
  float weight(std::uint64_t pair) const { return weights_ == nullptr ? 1.0F : weights_[pair]; }
  // A number for the pair's document; 0 when the corpus has no document ids.
  std::uint64_t document(std::uint64_t pair) const {
    return documents_ == nullptr ? 0 : documents_[pair];
  }

 private:
  TokenCache() = default;
  static std::optional<TokenCache> open_existing(const std::filesystem::path& path,
                                                 const CacheKey& key, const PairEncoder& encoder);
  bool attach();
  bool has_pairs_inside() const;  // of the payload, all of them
  void append(std::uint64_t offset, std::uint64_t count, std::int32_t vocabulary,
              std::vector<std::int32_t>& ids) const;

  MappedFile file_;
  TokenCacheFooter footer_;
  std::uint64_t pairs_checksum_ = 0;  // of the index without key and report
  CorpusReport report_;
  bool was_built_ = false;
  std::int32_t source_vocabulary_ = 0;
  std::int32_t target_vocabulary_ = 0;
  const char* payload_ = nullptr;
  const std::uint64_t* offsets_ = nullptr;
  const std::uint32_t* source_tokens_ = nullptr;
  const std::uint32_t* target_tokens_ = nullptr;
  const std::uint32_t* source_extents_ = nullptr;  // in elements; the token lengths for ids
  const std::uint32_t* target_extents_ = nullptr;
  const std::uint64_t* lines_ = nullptr;
  const float* weights_ = nullptr;
  const std::uint64_t* documents_ = nullptr;
};

}  // namespace yona
