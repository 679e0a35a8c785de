#include "yona/data/images/image_processor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Picture numbered(std::int64_t height, std::int64_t width) {
  Picture picture({height, width, 1});
  for (std::size_t i = 0; i < picture.pixels.size(); ++i) {
    picture.pixels[i] = static_cast<std::uint8_t>(i);
  }
  return picture;
}

TEST(ImageProcessor, ResizesToTheSizeAndTheChannelsOfTheModel) {
  const ImageProcessor processor{.height = 4, .width = 6};
  EXPECT_EQ(prepared(numbered(9, 9), processor, {4, 6, 3}, "x").shape, (ImageShape{4, 6, 3}));
}

TEST(ImageProcessor, KeepsProportionsByTheShortestSideAndCutsTheMiddle) {
  const ImageProcessor processor{.height = 0,
                                 .width = 0,
                                 .shortest_side = 2,
                                 .resample = Resample::nearest,
                                 .crop_height = 2,
                                 .crop_width = 2};
  EXPECT_THAT(prepared(numbered(2, 6), processor, {2, 2, 1}, "x").pixels, ElementsAre(2, 3, 8, 9));
  EXPECT_THAT(prepared(numbered(6, 2), processor, {2, 2, 1}, "x").pixels, ElementsAre(4, 5, 6, 7));
}

TEST(ImageProcessor, NamesAPictureThatItLeavesTooSmall) {
  const ImageProcessor processor{.resizes = false};
  EXPECT_THAT(message_of<InvalidArgument>([&] {
                prepared(numbered(3, 3), processor, {4, 4, 1}, "cat.png");
              }),
              HasSubstr("cat.png: has 3 × 3 pixels"));
}

TEST(ImageProcessor, RefusesALineOfPixelsThatWouldFillTheMemory) {
  const ImageProcessor by_side{.height = 0, .width = 0, .shortest_side = 224};
  const ImageProcessor by_size{.height = 224, .width = 224};
  const Picture wide({1, 1'000'000, 1});
  const Picture high({1'000'000, 1, 1});
  const auto message = [](const Picture& picture, const ImageProcessor& processor) {
    return message_of<InvalidArgument>([&] {
      prepared(picture, processor, {224, 224, 1}, "line.png");
    });
  };
  EXPECT_EQ(
      message(wide, by_side),
      "line.png: its 1000000 × 1 pixels are too thin to be resized to 224000000 × 224; cut it "
      "first");
  EXPECT_THAT(message(high, by_side), HasSubstr("line.png: its 1 × 1000000 pixels are too thin"));
  EXPECT_THAT(message(high, by_size), HasSubstr("line.png: its 1 × 1000000 pixels are too thin"));
  EXPECT_EQ(prepared(wide, by_size, {224, 224, 1}, "x").shape, (ImageShape{224, 224, 1}));
}

}  // namespace
}  // namespace yona::testing
