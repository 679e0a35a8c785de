// Pictures of one size with a label each, as bytes: what image classification reads. Those of a
// folder need not all be in memory (late_pictures.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "yona/data/images/pixel_summary.h"

namespace yona {

struct ImageShape {
  std::int64_t height = 0, width = 0;
  std::int64_t channels = 1;  // 1: grey, 3: red, green, blue

  std::int64_t elements() const { return height * width * channels; }
  bool operator==(const ImageShape&) const = default;
};

class LatePictures;

struct LabelledImages {
  std::string name;  // of the file, for messages
  ImageShape shape{};
  // [images, height, width, channels] of all pictures, or of the first ones where `late` reads the
  // others.
  std::vector<std::uint8_t> pixels{};
  std::vector<std::int32_t> labels{};  // from 0; empty where a file has none
  std::shared_ptr<const LatePictures> late{};
  std::optional<PixelSummary> summary{};  // of pictures of folders

  std::int64_t kept() const {
    return shape.elements() == 0 ? 0 : static_cast<std::int64_t>(pixels.size()) / shape.elements();
  }
  std::int64_t count() const {
    return late == nullptr ? kept() : static_cast<std::int64_t>(labels.size());
  }
  bool keeps(std::uint64_t i) const { return static_cast<std::int64_t>(i) < kept(); }
  // Of a picture that is kept.
  const std::uint8_t* image(std::uint64_t i) const {
    return pixels.data() + static_cast<std::size_t>(i) * static_cast<std::size_t>(shape.elements());
  }
};

}  // namespace yona
