// The token cache on disk. Little-endian, sections aligned to 8 bytes, written front to back:
//
//   magic        8 bytes
//   payload      the sides of each example, one after another: ids (u16 or i32), or bytes of text
//   offsets      u64[examples]    where the example begins in the payload, in elements
//   tokens       u32[examples] for each side: its length in tokens, tags and </s> included
//   extents      u32[examples] for each side: its length in elements (text only)
//   lines        u64[examples]    the example's line in the corpus
//   weights      f32[examples]    only when some weight is not 1
//   documents    u64[examples]    only when the corpus has document ids
//   key, report  JSON texts
//   footer       fixed size; ends in its own checksum
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "yona/data/batch.h"

namespace yona {

static_assert(std::endian::native == std::endian::little, "the cache is mapped as it is");

inline constexpr std::uint64_t kTokenCacheVersion = 2;
inline constexpr std::uint64_t kTokenCacheMagic = 0x6E6B6F74616E6F79U;  // "yonatokn"

struct TokenCacheFooter {
  std::uint64_t magic = kTokenCacheMagic;
  std::uint64_t version = kTokenCacheVersion;
  std::uint64_t content = 0;        // CacheContent
  std::uint64_t element_bytes = 0;  // 1, 2 or 4
  std::uint64_t sides = 0;          // 1 … kMostSides
  std::uint64_t elements = 0;       // of the payload
  std::uint64_t examples = 0;
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
  std::uint64_t payload, offsets;
  std::array<std::uint64_t, kMostSides> tokens{}, extents{};  // extents: the tokens' for ids
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
    offsets = section(f.examples * 8U);
    for (std::size_t side = 0; side < f.sides; ++side) {
      tokens[side] = section(f.examples * 4U);
    }
    for (std::size_t side = 0; side < f.sides; ++side) {
      extents[side] = f.content == 1U ? section(f.examples * 4U) : tokens[side];
    }
    lines = section(f.examples * 8U);
    weights = section(f.has_weights != 0U ? f.examples * 4U : 0U);
    documents = section(f.has_documents != 0U ? f.examples * 8U : 0U);
    key = section(f.key_bytes);
    report = section(f.report_bytes);
    footer = section(sizeof(TokenCacheFooter));
    file_bytes = at;
  }
};

}  // namespace yona
