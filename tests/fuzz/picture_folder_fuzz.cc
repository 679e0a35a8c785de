// Any bytes given as the pictures of a folder with one sub-folder for each class: pixels and labels
// of all of them in the shape that was asked for, or FormatError. What is damaged or large is left
// to picture_fuzz.
//
// The first byte says after how many sixteenths the second picture begins.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "yona/base/error.h"
#include "yona/data/images/picture_folder.h"

#include "tests/fuzz/memory_file.h"

namespace {

constexpr yona::ImageShape kShape{5, 7, 3};

void require(bool condition) {
  if (!condition) {
    std::abort();
  }
}

void use(const std::filesystem::path& path, const yona::ImageProcessor& processor) {
  const yona::PictureFolder listed = yona::list_pictures(path);
  require(listed.files.size() == 2);
  const yona::LabelledImages images =
      yona::read_pictures(listed, {"cats", "dogs"}, {.shape = kShape, .processor = processor});
  require(static_cast<std::int64_t>(images.pixels.size()) == 2 * kShape.elements());
  require(images.labels == std::vector<std::int32_t>{0, 1});
}

bool is_small_picture(std::string_view bytes) {
  try {
    yona::decode_picture(bytes, "fuzz", std::int64_t{1} << 12U);
    return true;
  } catch (const yona::FormatError&) {
    return false;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using yona::ImageProcessor;
  static yona::testing::MemoryFolder folder({"cats/a.png", "dogs/b.jpeg"});
  if (size == 0) {
    return 0;
  }
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t cut = bytes.size() * (data[0] % 17U) / 16;
  for (const std::size_t number : {0U, 1U}) {
    const std::string_view picture = number == 0 ? bytes.substr(0, cut) : bytes.substr(cut);
    folder.set(number, picture.data(), picture.size());
    if (!is_small_picture(picture)) {
      return 0;
    }
  }
  for (const ImageProcessor& processor :
       {ImageProcessor{.height = 5, .width = 7, .resample = yona::Resample::bicubic},
        ImageProcessor{.shortest_side = 8, .crop_height = 5, .crop_width = 7},
        ImageProcessor{.resizes = false}}) {
    try {
      use(folder.path(), processor);
    } catch (const yona::FormatError&) {  // of another size, where none is resized
      require(!processor.resizes);
    }
  }
  return 0;
}
