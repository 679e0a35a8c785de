// Any bytes given as a PNG or JPEG file: a picture of 1 or 3 channels within the limit of pixels,
// which can be made ready for a model, or FormatError.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "yona/base/error.h"
#include "yona/data/images/image_processor.h"

namespace {

constexpr std::int64_t kFuzzPixels = std::int64_t{1} << 16U;

void use(const yona::Picture& picture) {
  const yona::ImageShape& shape = picture.shape;
  if ((shape.channels != 1 && shape.channels != 3) || shape.height * shape.width > kFuzzPixels ||
      static_cast<std::int64_t>(picture.pixels.size()) != shape.elements()) {
    std::abort();
  }
  const yona::ImageProcessor processor{
      .height = 5, .width = 7, .resample = yona::Resample::bicubic};
  yona::prepared(picture, processor, {5, 7, 3}, "fuzz");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    use(yona::decode_picture({reinterpret_cast<const char*>(data), size}, "fuzz", kFuzzPixels));
  } catch (const yona::FormatError&) {
  }
  return 0;
}
