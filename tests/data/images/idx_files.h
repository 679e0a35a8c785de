// IDX files for tests.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace yona::testing {

inline std::string idx_bytes(const std::vector<std::uint32_t>& extents,
                             const std::string& elements) {
  std::string bytes{'\0', '\0', '\x08', static_cast<char>(extents.size())};
  for (const std::uint32_t extent : extents) {
    for (const unsigned shift : {24U, 16U, 8U, 0U}) {
      bytes.push_back(static_cast<char>((extent >> shift) & 0xFFU));
    }
  }
  return bytes + elements;
}

// Pictures of side × side pixels in two classes: bright on the left (0) or on the right (1).
inline std::string two_sided_pictures(std::uint32_t count, std::uint32_t side) {
  std::string pixels;
  for (std::uint32_t i = 0; i < count; ++i) {
    for (std::uint32_t y = 0; y < side; ++y) {
      for (std::uint32_t x = 0; x < side; ++x) {
        const bool is_bright = (x < side / 2) == (i % 2 == 0);
        pixels.push_back(static_cast<char>((is_bright ? 150 : 10) + (i * 7 + y * 3 + x) % 50));
      }
    }
  }
  return idx_bytes({count, side, side}, pixels);
}

inline std::string two_sided_labels(std::uint32_t count) {
  std::string labels;
  for (std::uint32_t i = 0; i < count; ++i) {
    labels.push_back(static_cast<char>(i % 2));
  }
  return idx_bytes({count}, labels);
}

}  // namespace yona::testing
