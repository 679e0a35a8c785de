// Writes a token cache file, example after example, in one pass and bounded memory. The index is
// collected in a second file, because its sections follow the payload.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "yona/base/file_writer.h"
#include "yona/base/mapped_file.h"
#include "yona/data/cache_key.h"
#include "yona/data/corpus.h"
#include "yona/data/token_cache_format.h"

namespace yona {

// A file that is removed with this object, unless it was renamed away.
class TemporaryFile {
 public:
  TemporaryFile(std::filesystem::path path, std::string_view suffix);
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile();
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

class TokenCacheWriter {
 public:
  struct Example {
    std::uint64_t line = 0;
    std::uint64_t document = 0;
    float weight = 1;
    std::array<std::span<const std::int32_t>, kMostSides> ids{};
    std::array<std::string_view, kMostSides> texts{};  // read where content is text
  };
  // `vocabularies`: the number of ids of each side.
  TokenCacheWriter(const std::filesystem::path& path, CacheContent content,
                   const std::vector<std::int32_t>& vocabularies, bool has_documents);

  void add(const Example& example);
  std::uint64_t examples() const { return footer_.examples; }

  // Puts the file in its place in one step. Without this call nothing is left of it.
  void finish(const CacheKey& key, const CorpusReport& report);

 private:
  struct Record;
  void append_ids(std::span<const std::int32_t> ids);
  void flush();
  template <class T, class Pick>
  void write_section(const MappedFile& spilled, const Pick& pick);
  void write_index(const MappedFile& records);
  void write_index_bytes(std::string_view bytes);
  void align();

  std::filesystem::path path_;
  TemporaryFile main_;
  TemporaryFile spill_;
  FileWriter file_;
  FileWriter index_;
  std::string payload_;
  std::string records_;
  TokenCacheFooter footer_;
};

}  // namespace yona
