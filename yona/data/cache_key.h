// What a token cache depends on, as text: format version, options, sub-word models and what
// stands around a text, and the state of every input file. The text is stored in the cache and
// compared byte for byte, so that nothing rests on a hash alone except the content of files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "yona/data/corpus.h"
#include "yona/text/pair_encoder.h"

namespace yona {

enum class CacheContent : std::uint8_t {
  tokens = 0,  // ids
  text = 1     // the lines themselves: sub-words are sampled again in each epoch
};

struct TokenizeOptions {
  // Tokens of a side, its tags and </s> included; longer pairs are left out and counted.
  std::int64_t max_length = 256;
  CacheContent content = CacheContent::tokens;
};

struct CacheKey {
  std::string file_name;  // depends on the description alone: a changed input replaces its cache
  std::string text;       // everything
};

// Throws IoError when an input cannot be read.
CacheKey cache_key(const CorpusSpec& corpus, const PairEncoder& encoder,
                   const TokenizeOptions& options);

// A file's size and the checksum of its content: of all of it up to 256 MiB, beyond that of 64
// blocks spread over it, first and last included. Throws IoError when it cannot be read.
struct FileContent {
  std::uint64_t bytes = 0;
  std::uint64_t checksum = 0;

  bool operator==(const FileContent&) const = default;
};
FileContent file_content(const std::filesystem::path& path);

// 64-bit cyclic redundancy check (ECMA-182); `crc` continues an earlier one.
std::uint64_t checksum(std::string_view bytes, std::uint64_t crc = 0);

}  // namespace yona
