#include "yona/data/images/picture.h"

#include <algorithm>

#include "yona/base/error.h"
#include "yona/base/input_file.h"

namespace yona {

namespace {

constexpr std::string_view kPngHead = "\x89PNG\r\n\x1A\n";
constexpr std::string_view kJpegHead = "\xFF\xD8\xFF";

}  // namespace

Picture decode_picture(std::string_view bytes, const std::string& name, std::int64_t most_pixels) {
  if (bytes.starts_with(kPngHead)) {
    return decode_png(bytes, name, most_pixels);
  }
  if (bytes.starts_with(kJpegHead)) {
    return decode_jpeg(bytes, name, most_pixels);
  }
  fail<FormatError>("{}: is not a picture that can be read; PNG and JPEG are", name);
}

PictureSize picture_size(std::string_view bytes) {
  return bytes.starts_with(kPngHead)    ? png_size(bytes)
         : bytes.starts_with(kJpegHead) ? jpeg_size(bytes)
                                        : PictureSize{};
}

Picture read_picture(const std::filesystem::path& path, std::int64_t most_pixels) {
  return decode_picture(read_file(path), path.string(), most_pixels);
}

Picture with_channels(const Picture& picture, std::int64_t channels) {
  if (picture.shape.channels == channels) {
    return picture;
  }
  Picture result({picture.shape.height, picture.shape.width, channels});
  const std::size_t count =
      picture.pixels.size() / static_cast<std::size_t>(picture.shape.channels);
  for (std::size_t i = 0; i < count; ++i) {
    if (channels == 3) {
      std::fill_n(result.pixels.data() + 3 * i, 3, picture.pixels[i]);
    } else {
      const std::uint8_t* rgb = picture.pixels.data() + 3 * i;
      const std::uint32_t sum = 19595U * rgb[0] + 38470U * rgb[1] + 7471U * rgb[2] + 0x8000U;
      result.pixels[i] = static_cast<std::uint8_t>(sum >> 16U);
    }
  }
  return result;
}

}  // namespace yona
