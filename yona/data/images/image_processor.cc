#include "yona/data/images/image_processor.h"

#include <algorithm>

#include "yona/base/error.h"

namespace yona {

namespace {

// What a picture of this shape is resized to.
ImageShape resized_shape(const ImageShape& shape, const ImageProcessor& processor) {
  if (processor.shortest_side == 0) {
    return {processor.height, processor.width, shape.channels};
  }
  const auto [height, width, channels] = shape;
  const std::int64_t side = processor.shortest_side;
  const std::int64_t longest = std::max(height, width) * side / std::min(height, width);
  return height < width ? ImageShape{side, longest, channels} : ImageShape{longest, side, channels};
}

// A file of a few kilobytes can hold a line of a million pixels. Enlarging its shortest side would
// make it a million times as large.
Picture resized_by(const Picture& picture, const ImageProcessor& processor, std::string_view name) {
  if (!processor.resizes) {
    return picture;
  }
  const ImageShape shape = resized_shape(picture.shape, processor);
  constexpr std::int64_t kMostOnTheWay = std::int64_t{1} << 25U;
  const std::int64_t columns_first = picture.shape.height * shape.width;
  check(std::max(columns_first, shape.height * shape.width) <= kMostOnTheWay,
        "{}: its {} × {} pixels are too thin to be resized to {} × {}; cut it first", name,
        picture.shape.width, picture.shape.height, shape.width, shape.height);
  return resized(picture, shape.height, shape.width, processor.resample);
}

// The middle, with black around it where the picture is smaller.
Picture middle(const Picture& picture, std::int64_t height, std::int64_t width) {
  Picture result({height, width, picture.shape.channels});
  const std::int64_t down = (picture.shape.height - height) / 2;
  const std::int64_t right = (picture.shape.width - width) / 2;
  for (std::int64_t y = 0; y < height; ++y) {
    for (std::int64_t x = 0; x < width; ++x) {
      const std::int64_t from_y = y + down;
      const std::int64_t from_x = x + right;
      if (from_y >= 0 && from_y < picture.shape.height && from_x >= 0 &&
          from_x < picture.shape.width) {
        std::copy_n(picture.at(from_y, from_x, 0), picture.shape.channels, result.at(y, x, 0));
      }
    }
  }
  return result;
}

}  // namespace

Picture prepared(const Picture& picture, const ImageProcessor& processor, const ImageShape& shape,
                 std::string_view name) {
  Picture result = resized_by(with_channels(picture, shape.channels), processor, name);
  if (processor.crop_height > 0) {
    result = middle(result, processor.crop_height, processor.crop_width);
  }
  check(result.shape == shape,
        "{}: has {} × {} pixels as the model's preprocessor_config.json prepares it; the model "
        "takes {} × {}",
        name, result.shape.height, result.shape.width, shape.height, shape.width);
  return result;
}

}  // namespace yona
