// JPEG through libjpeg-turbo. Its errors are long jumps, so what may jump is called from guarded(),
// below which no C++ object waits to be destroyed.

#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstdio>  // jpeglib.h wants it first
#include <jerror.h>
#include <jpeglib.h>
#include <optional>

#include "yona/base/error.h"
#include "yona/data/images/picture.h"

namespace yona {

namespace {

// A hostile progressive file can have any number of scans, each over the whole picture.
constexpr int kMostScans = 200;

struct JpegErrors {
  jpeg_error_mgr base{};
  std::jmp_buf jump{};
  bool ends_early = false;
  std::array<char, JMSG_LENGTH_MAX> message{};
};

JpegErrors& errors_of(j_common_ptr jpeg) { return *reinterpret_cast<JpegErrors*>(jpeg->err); }

void keep_jpeg_error(j_common_ptr jpeg) {
  JpegErrors& errors = errors_of(jpeg);
  jpeg->err->format_message(jpeg, errors.message.data());
  std::longjmp(errors.jump, 1);  // NOLINT(cert-err52-cpp): what the library asks for
}

// Only warnings are checked: the library continues if data are missing.
void note_jpeg_warning(j_common_ptr jpeg, int level) {
  if (level < 0 && jpeg->err->msg_code == JWRN_JPEG_EOF) {
    errors_of(jpeg).ends_early = true;
    std::longjmp(errors_of(jpeg).jump, 1);  // NOLINT(cert-err52-cpp)
  }
}

void count_scans(j_common_ptr jpeg) {
  const auto* decoder = reinterpret_cast<j_decompress_ptr>(jpeg);
  if (decoder->input_scan_number > kMostScans) {
    JpegErrors& errors = errors_of(jpeg);
    std::snprintf(errors.message.data(), errors.message.size(), "more than %d scans", kMostScans);
    std::longjmp(errors.jump, 1);  // NOLINT(cert-err52-cpp)
  }
}

class JpegReader {
 public:
  explicit JpegReader(std::string_view bytes) {
    jpeg_.err = jpeg_std_error(&errors_.base);
    errors_.base.error_exit = keep_jpeg_error;
    errors_.base.emit_message = note_jpeg_warning;
    progress_.progress_monitor = count_scans;
    const bool made = guarded([&] {
      jpeg_create_decompress(&jpeg_);
      jpeg_.progress = &progress_;
      jpeg_mem_src(&jpeg_, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
      jpeg_save_markers(&jpeg_, JPEG_APP0 + 1, 0xFFFF);  // EXIF
    });
    check<DeviceError>(made, "jpeg: out of memory");
  }
  ~JpegReader() { jpeg_destroy_decompress(&jpeg_); }
  JpegReader(const JpegReader&) = delete;
  JpegReader& operator=(const JpegReader&) = delete;

  jpeg_decompress_struct& jpeg() { return jpeg_; }
  const JpegErrors& errors() const { return errors_; }

  // False when the library has jumped out of it.
  template <class Function>
  bool guarded(const Function& function) {
    if (setjmp(errors_.jump) != 0) {
      return false;
    }
    function();
    return true;
  }

 private:
  JpegErrors errors_;
  jpeg_progress_mgr progress_{};
  jpeg_decompress_struct jpeg_{};
};

[[noreturn]] void fail_jpeg(const JpegErrors& errors, const std::string& name) {
  check<FormatError>(!errors.ends_early, "{}: the JPEG picture ends early; is the file complete?",
                     name);
  fail<FormatError>("{}: the JPEG picture is damaged: {}", name, errors.message.data());
}

// --- EXIF: a TIFF header and a list of tags, of which one is the orientation ------------------

class TiffBytes {
 public:
  TiffBytes(std::string_view bytes, bool big_endian) : bytes_(bytes), big_endian_(big_endian) {}

  // A number of `size` bytes; nothing where it would lie outside.
  std::optional<std::uint32_t> number(std::size_t at, std::size_t size) const {
    if (at > bytes_.size() || bytes_.size() - at < size) {
      return std::nullopt;
    }
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const std::size_t place = big_endian_ ? at + i : at + size - 1 - i;
      value = (value << 8U) | static_cast<std::uint8_t>(bytes_[place]);
    }
    return value;
  }

 private:
  std::string_view bytes_;
  bool big_endian_;
};

// 1 to 8; 1, as it lies, where nothing else is said.
int orientation_in(std::string_view exif) {
  constexpr std::string_view kHead("Exif\0\0", 6);
  constexpr std::size_t kEntryBytes = 12;
  constexpr std::uint32_t kOrientation = 0x0112;
  constexpr std::uint32_t kShort = 3;
  if (!exif.starts_with(kHead)) {
    return 1;
  }
  exif.remove_prefix(kHead.size());
  const TiffBytes tiff(exif, exif.starts_with("MM"));
  const std::optional<std::uint32_t> list = tiff.number(4, 4);
  const std::optional<std::uint32_t> count = list ? tiff.number(*list, 2) : std::nullopt;
  for (std::uint32_t i = 0; count && i < *count; ++i) {
    const std::size_t entry = std::size_t{*list} + 2 + kEntryBytes * i;
    const std::optional<std::uint32_t> tag = tiff.number(entry, 2);
    if (!tag) {
      return 1;
    }
    if (tag == kOrientation && tiff.number(entry + 2, 2) == kShort) {
      const std::uint32_t value = tiff.number(entry + 8, 2).value_or(1);
      return value >= 1 && value <= 8 ? static_cast<int>(value) : 1;
    }
  }
  return 1;
}

int orientation_of(const jpeg_decompress_struct& jpeg) {
  for (const jpeg_marker_struct* marker = jpeg.marker_list; marker != nullptr;
       marker = marker->next) {
    const std::string_view data(reinterpret_cast<const char*>(marker->data), marker->data_length);
    if (marker->marker == JPEG_APP0 + 1 && data.starts_with("Exif")) {
      return orientation_in(data);
    }
  }
  return 1;
}

// The picture as it is to be seen: 5 to 8 lie on their side, and then columns are rows.
Picture turned(const Picture& picture, int orientation) {
  if (orientation == 1) {
    return picture;
  }
  const auto [height, width, channels] = picture.shape;
  const bool on_side = orientation >= 5;
  const bool upside_down =
      orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
  const bool mirrored =
      orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
  Picture result({on_side ? width : height, on_side ? height : width, channels});
  for (std::int64_t y = 0; y < result.shape.height; ++y) {
    for (std::int64_t x = 0; x < result.shape.width; ++x) {
      const std::int64_t row = on_side ? x : y;
      const std::int64_t column = on_side ? y : x;
      std::copy_n(picture.at(upside_down ? height - 1 - row : row,
                             mirrored ? width - 1 - column : column, 0),
                  channels, result.at(y, x, 0));
    }
  }
  return result;
}

// Bytes of ink as Adobe's programs write them, 255 for none.
Picture from_ink(const Picture& picture) {
  Picture result({picture.shape.height, picture.shape.width, 3});
  const std::int64_t count = picture.shape.height * picture.shape.width;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint8_t* ink = picture.pixels.data() + 4 * i;
    const std::uint32_t light = ink[3];
    for (std::int64_t channel = 0; channel < 3; ++channel) {
      const std::uint32_t product = (255U - ink[channel]) * light + 128U;
      const std::uint32_t taken = ((product >> 8U) + product) >> 8U;  // product / 255, rounded
      result.pixels[static_cast<std::size_t>(3 * i + channel)] =
          static_cast<std::uint8_t>(light - taken);
    }
  }
  return result;
}

// What the library is asked for: grey, ink, or red, green and blue.
int read_colours(jpeg_decompress_struct& jpeg) {
  const bool is_ink = jpeg.jpeg_color_space == JCS_CMYK || jpeg.jpeg_color_space == JCS_YCCK;
  const bool is_grey = jpeg.jpeg_color_space == JCS_GRAYSCALE;
  jpeg.out_color_space = is_ink ? JCS_CMYK : is_grey ? JCS_GRAYSCALE : JCS_RGB;
  return is_ink ? 4 : is_grey ? 1 : 3;
}

}  // namespace

// Read by the library, because a file may have meaningless bytes between its markers.
PictureSize jpeg_size(std::string_view bytes) {
  JpegReader reader(bytes);
  if (!reader.guarded([&] { jpeg_read_header(&reader.jpeg(), TRUE); })) {
    return {};
  }
  return {reader.jpeg().image_height, reader.jpeg().image_width};
}

Picture decode_jpeg(std::string_view bytes, const std::string& name, std::int64_t most_pixels) {
  JpegReader reader(bytes);
  jpeg_decompress_struct& jpeg = reader.jpeg();
  if (!reader.guarded([&] { jpeg_read_header(&jpeg, TRUE); })) {
    fail_jpeg(reader.errors(), name);
  }
  const auto height = static_cast<std::int64_t>(jpeg.image_height);
  const auto width = static_cast<std::int64_t>(jpeg.image_width);
  check<FormatError>(height * width <= most_pixels,
                     "{}: has {} × {} pixels, more than the {} that are read; make it smaller",
                     name, width, height, most_pixels);
  const int orientation = orientation_of(jpeg);
  Picture picture({height, width, read_colours(jpeg)});
  if (!reader.guarded([&] {
        jpeg_start_decompress(&jpeg);
        while (jpeg.output_scanline < jpeg.output_height) {
          JSAMPROW row = picture.at(jpeg.output_scanline, 0, 0);
          jpeg_read_scanlines(&jpeg, &row, 1);
        }
        jpeg_finish_decompress(&jpeg);
      })) {
    fail_jpeg(reader.errors(), name);
  }
  return turned(picture.shape.channels == 4 ? from_ink(picture) : picture, orientation);
}

}  // namespace yona
