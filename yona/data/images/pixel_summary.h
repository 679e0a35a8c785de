// What is known of all pictures of a file or folder once they have been read: how often each byte
// occurs, and a checksum of them all.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace yona {

struct PixelSummary {
  std::vector<std::uint64_t> counts{};  // [channels, 256]
  std::uint64_t crc64 = 0;

  // Goes on with these pixels, [pixels, channels].
  void add(std::span<const std::uint8_t> pixels, std::int64_t channels);
};

}  // namespace yona
