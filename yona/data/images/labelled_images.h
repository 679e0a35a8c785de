// Pictures of one size with a label each, as bytes in memory: what image classification reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace yona {

struct ImageShape {
  std::int64_t height = 0, width = 0;
  std::int64_t channels = 1;  // 1: grey, 3: red, green, blue

  std::int64_t elements() const { return height * width * channels; }
  bool operator==(const ImageShape&) const = default;
};

struct LabelledImages {
  std::string name;  // of the file, for messages
  ImageShape shape{};
  std::vector<std::uint8_t> pixels{};  // [images, height, width, channels]
  std::vector<std::int32_t> labels{};  // from 0; empty where a file has none

  std::int64_t count() const {
    return shape.elements() == 0 ? 0 : static_cast<std::int64_t>(pixels.size()) / shape.elements();
  }
  const std::uint8_t* image(std::uint64_t i) const {
    return pixels.data() + static_cast<std::size_t>(i) * static_cast<std::size_t>(shape.elements());
  }
};

}  // namespace yona
