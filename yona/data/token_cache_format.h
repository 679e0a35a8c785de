// The token cache on disk. Little-endian, sections aligned to 8 bytes, written front to back:
//
//   magic        8 bytes
//   payload      source then target of each pair: ids (u16 or i32), or bytes of text
//   offsets      u64[pairs]    where the pair begins in the payload, in elements
//   tokens       u32[pairs] twice: source and target lengths in tokens, tags and </s> included
//   extents      u32[pairs] twice: source and target lengths in elements (text only)
//   lines        u64[pairs]    the pair's line in the corpus
//   weights      f32[pairs]    only when some weight is not 1
//   documents    u64[pairs]    only when the corpus has document ids
//   key, report  JSON texts
//   footer       fixed size; ends in its own checksum
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace yona {

static_assert(std::endian::native == std::endian::little, "the cache is mapped as it is");

inline constexpr std::uint64_t kTokenCacheVersion = 1;
inline constexpr std::uint64_t kTokenCacheMagic = 0x6E6B6F74616E6F79U;  // "yonatokn"

struct TokenCacheFooter {
  std::uint64_t magic = kTokenCacheMagic;
  std::uint64_t version = kTokenCacheVersion;
  std::uint64_t content = 0;        // CacheContent
  std::uint64_t element_bytes = 0;  // 1, 2 or 4
  std::uint64_t elements = 0;       // of the payload
  std::uint64_t pairs = 0;
  std::uint64_t has_weights = 0;
  std::uint64_t has_documents = 0;
  std::uint64_t key_bytes = 0;
  std::uint64_t report_bytes = 0;
  std::uint64_t payload_checksum = 0;
  std::uint64_t index_checksum = 0;   // everything between payload and footer
  std::uint64_t footer_checksum = 0;  // of the fields above
};

// Where each section begins. Computed from the footer alone, by writer and reader alike.
struct TokenCacheLayout {
  std::uint64_t payload, offsets, source_tokens, target_tokens, source_extents, target_extents;
  std::uint64_t lines, weights, documents, key, report, footer, file_bytes;

  explicit constexpr TokenCacheLayout(const TokenCacheFooter& footer_fields) {
    const TokenCacheFooter& f = footer_fields;
    std::uint64_t at = sizeof(kTokenCacheMagic);
    const auto section = [&at](std::uint64_t bytes) {
      const std::uint64_t begin = at;
      at = (at + bytes + 7U) / 8U * 8U;
      return begin;
    };
    payload = section(f.elements * f.element_bytes);
    offsets = section(f.pairs * 8U);
    source_tokens = section(f.pairs * 4U);
    target_tokens = section(f.pairs * 4U);
    source_extents = section(f.content == 1U ? f.pairs * 4U : 0U);
    target_extents = section(f.content == 1U ? f.pairs * 4U : 0U);
    lines = section(f.pairs * 8U);
    weights = section(f.has_weights != 0U ? f.pairs * 4U : 0U);
    documents = section(f.has_documents != 0U ? f.pairs * 8U : 0U);
    key = section(f.key_bytes);
    report = section(f.report_bytes);
    footer = section(sizeof(TokenCacheFooter));
    file_bytes = at;
  }
};

}  // namespace yona
