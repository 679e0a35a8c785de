#include "yona/data/images/pixel_summary.h"

#include <string_view>

#include "yona/data/cache_key.h"

namespace yona {

void PixelSummary::add(std::span<const std::uint8_t> pixels, std::int64_t channels) {
  const auto each = static_cast<std::size_t>(channels);
  counts.resize(each * 256);
  for (std::size_t channel = 0; channel < each; ++channel) {
    for (std::size_t i = channel; i < pixels.size(); i += each) {
      ++counts[channel * 256 + pixels[i]];
    }
  }
  crc64 = checksum({reinterpret_cast<const char*>(pixels.data()), pixels.size()}, crc64);
}

}  // namespace yona
