// PNG through libpng. Its errors are long jumps, so what may jump is called from guarded(), below
// which no C++ object waits to be destroyed.

#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <png.h>
#include <vector>

#include "yona/base/error.h"
#include "yona/data/images/picture.h"

namespace yona {

namespace {

struct PngInput {
  const char* bytes = nullptr;
  std::size_t left = 0;
  bool ends_early = false;
  std::array<char, 160> message{};
};

void read_png_bytes(png_structp png, png_bytep to, std::size_t count) {
  auto* input = static_cast<PngInput*>(png_get_io_ptr(png));
  if (count > input->left) {
    input->ends_early = true;
    png_error(png, "ends early");
  }
  std::memcpy(to, input->bytes, count);
  input->bytes += count;
  input->left -= count;
}

void keep_png_error(png_structp png, png_const_charp message) {
  auto* input = static_cast<PngInput*>(png_get_error_ptr(png));
  std::snprintf(input->message.data(), input->message.size(), "%s", message);
  png_longjmp(png, 1);
}

void ignore_png_warning(png_structp /*png*/, png_const_charp /*message*/) {}

class PngReader {
 public:
  explicit PngReader(PngInput& input)
      : png_(png_create_read_struct(PNG_LIBPNG_VER_STRING, &input, keep_png_error,
                                    ignore_png_warning)) {
    check<DeviceError>(png_ != nullptr, "png: out of memory");
    info_ = png_create_info_struct(png_);
    if (info_ == nullptr) {
      png_destroy_read_struct(&png_, nullptr, nullptr);
      fail<DeviceError>("png: out of memory");
    }
    png_set_read_fn(png_, &input, read_png_bytes);
  }
  ~PngReader() { png_destroy_read_struct(&png_, &info_, nullptr); }
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;

  png_structp png() const { return png_; }
  png_infop info() const { return info_; }

  // False when libpng has jumped out of it.
  template <class Function>
  bool guarded(const Function& function) const {
    if (setjmp(png_jmpbuf(png_)) != 0) {
      return false;
    }
    function();
    return true;
  }

 private:
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
};

[[noreturn]] void fail_png(const PngInput& input, const std::string& name) {
  check<FormatError>(!input.ends_early, "{}: the PNG picture ends early; is the file complete?",
                     name);
  fail<FormatError>("{}: the PNG picture is damaged: {}", name, input.message.data());
}

// Without alpha: laid on white.
Picture on_white(const Picture& picture) {
  const std::int64_t colours = picture.shape.channels - 1;
  Picture result({picture.shape.height, picture.shape.width, colours});
  const std::uint8_t* from = picture.pixels.data();
  std::uint8_t* to = result.pixels.data();
  const std::int64_t count = picture.shape.height * picture.shape.width;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint32_t alpha = from[colours];
    for (std::int64_t channel = 0; channel < colours; ++channel) {
      *to++ =
          static_cast<std::uint8_t>((from[channel] * alpha + 255U * (255U - alpha) + 127U) / 255U);
    }
    from += colours + 1;
  }
  return result;
}

}  // namespace

// The chunk IHDR; none where it does not come first, though libpng would skip unknown ones.
PictureSize png_size(std::string_view bytes) {
  constexpr std::size_t kEnd = 24;
  if (bytes.size() < kEnd || bytes.substr(12, 4) != "IHDR") {
    return {};
  }
  const auto number = [&](std::size_t at) {
    std::int64_t value = 0;
    for (std::size_t i = at; i < at + 4; ++i) {
      value = value << 8 | static_cast<std::uint8_t>(bytes[i]);
    }
    return value;
  };
  return {number(20), number(16)};
}

Picture decode_png(std::string_view bytes, const std::string& name, std::int64_t most_pixels) {
  check<FormatError>(bytes.size() < 16 || bytes.substr(12, 4) == "IHDR",
                     "{}: the PNG picture is damaged: it does not begin with its size", name);
  PngInput input{bytes.data(), bytes.size()};
  const PngReader reader(input);
  png_structp png = reader.png();
  png_infop info = reader.info();
  if (!reader.guarded([&] { png_read_info(png, info); })) {
    fail_png(input, name);
  }
  const auto height = static_cast<std::int64_t>(png_get_image_height(png, info));
  const auto width = static_cast<std::int64_t>(png_get_image_width(png, info));
  check<FormatError>(height * width <= most_pixels,
                     "{}: has {} × {} pixels, more than the {} that are read; make it smaller",
                     name, width, height, most_pixels);
  if (!reader.guarded([&] {
        png_set_expand(png);  // palettes, less than 8 bits, and a colour that is transparent
        png_set_scale_16(png);
        png_set_interlace_handling(png);
        png_read_update_info(png, info);
      })) {
    fail_png(input, name);
  }
  Picture picture({height, width, png_get_channels(png, info)});
  check<FormatError>(
      static_cast<std::int64_t>(png_get_rowbytes(png, info)) == width * picture.shape.channels,
      "{}: a PNG picture of {} channels and {} bytes a row is not understood", name,
      picture.shape.channels, png_get_rowbytes(png, info));
  std::vector<png_bytep> rows;
  rows.reserve(static_cast<std::size_t>(height));
  for (std::int64_t y = 0; y < height; ++y) {
    rows.push_back(picture.at(y, 0, 0));
  }
  if (!reader.guarded([&] {
        png_read_image(png, rows.data());
        png_read_end(png, nullptr);
      })) {
    fail_png(input, name);
  }
  return picture.shape.channels % 2 == 0 ? on_white(picture) : picture;
}

}  // namespace yona
