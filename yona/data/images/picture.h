// A picture in memory, and its readers: PNG (libpng) and JPEG (libjpeg-turbo).
//
// What viewers show is what is read: a JPEG is turned as its EXIF orientation says, a transparent
// PNG is laid on white, 16 bits become 8, palettes and CMYK become red, green and blue.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "yona/data/images/labelled_images.h"

namespace yona {

struct Picture {
  ImageShape shape{};
  std::vector<std::uint8_t> pixels{};  // [height, width, channels]

  Picture() = default;
  explicit Picture(const ImageShape& size)
      : shape(size), pixels(static_cast<std::size_t>(size.elements())) {}

  std::uint8_t* at(std::int64_t y, std::int64_t x, std::int64_t channel) {
    return pixels.data() + (y * shape.width + x) * shape.channels + channel;
  }
  const std::uint8_t* at(std::int64_t y, std::int64_t x, std::int64_t channel) const {
    return pixels.data() + (y * shape.width + x) * shape.channels + channel;
  }
};

// A picture of more pixels is refused before memory is taken for it: 128 million, as large as any
// camera's.
inline constexpr std::int64_t kMostPixels = std::int64_t{1} << 27U;

// Grey pictures have 1 channel, others 3. Throws FormatError naming `name` for bytes that are
// neither PNG nor JPEG, that are damaged or end early, and for a picture of more than `most_pixels`
// pixels.
Picture decode_picture(std::string_view bytes, const std::string& name,
                       std::int64_t most_pixels = kMostPixels);
// The same of a file; throws IoError when it cannot be read.
Picture read_picture(const std::filesystem::path& path, std::int64_t most_pixels = kMostPixels);

// Height and width as the header has them, before any turning: those that decode_picture() finds. 0
// for both where it would refuse the header.
struct PictureSize {
  std::int64_t height = 0, width = 0;
};
PictureSize picture_size(std::string_view bytes);

// The picture with 1 channel (grey: 0.299 R + 0.587 G + 0.114 B, as Pillow rounds it) or with 3.
Picture with_channels(const Picture& picture, std::int64_t channels);

// The two formats; decode_picture() and picture_size() choose.
Picture decode_png(std::string_view bytes, const std::string& name, std::int64_t most_pixels);
PictureSize png_size(std::string_view bytes);
Picture decode_jpeg(std::string_view bytes, const std::string& name, std::int64_t most_pixels);
PictureSize jpeg_size(std::string_view bytes);

}  // namespace yona
