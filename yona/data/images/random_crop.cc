#include "yona/data/images/random_crop.h"

#include <algorithm>
#include <cmath>

#include "yona/data/images/resize.h"

namespace yona {

namespace {

Picture part_of(const Picture& picture, std::int64_t top, std::int64_t left, std::int64_t height,
                std::int64_t width) {
  const std::int64_t channels = picture.shape.channels;
  Picture part({height, width, channels});
  for (std::int64_t y = 0; y < height; ++y) {
    std::copy_n(picture.at(top + y, left, 0), width * channels, part.at(y, 0, 0));
  }
  return part;
}

}  // namespace

Picture random_crop(const Picture& picture, double least_area, RandomSequence& random) {
  constexpr int kTries = 10;
  const auto [height, width, channels] = picture.shape;
  const double most_ratio = std::log(4.0 / 3.0);
  for (int i = 0; i < kTries; ++i) {
    const double area =
        (least_area + (1.0 - least_area) * random.uniform()) * static_cast<double>(height * width);
    const double ratio = std::exp((2.0 * random.uniform() - 1.0) * most_ratio);
    const auto w = static_cast<std::int64_t>(std::llround(std::sqrt(area * ratio)));
    const auto h = static_cast<std::int64_t>(std::llround(std::sqrt(area / ratio)));
    if (w > 0 && w <= width && h > 0 && h <= height) {
      const auto top =
          static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(height - h) + 1));
      const auto left =
          static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(width - w) + 1));
      return resized(part_of(picture, top, left, h, w), height, width, Resample::bilinear);
    }
  }
  return picture;
}

}  // namespace yona
