#include "yona/data/images/picture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/data/images/picture_files.h"
#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string picture_refusal(const std::string& bytes) {
  return message_of<FormatError>([&] { decode_picture(bytes, "x.png"); });
}

TEST(Picture, OtherFilesAreRefused) {
  EXPECT_THAT(picture_refusal("GIF89a"), HasSubstr("x.png: is not a picture that can be read"));
  EXPECT_THAT(picture_refusal(""), HasSubstr("is not a picture"));
  EXPECT_NE(message_of<IoError>([] { read_picture("/nonexistent.png"); }), "");
}

TEST(Picture, ChannelsAreConvertedAsPillowDoes) {
  Picture colour({1, 2, 3});
  colour.pixels = {255, 0, 0, 10, 200, 30};
  EXPECT_THAT(with_channels(colour, 1).pixels, ElementsAre(76, 124));
  EXPECT_THAT(with_channels(with_channels(colour, 1), 3).pixels,
              ElementsAre(76, 76, 76, 124, 124, 124));
  EXPECT_EQ(with_channels(colour, 3).pixels, colour.pixels);
}

TEST(Picture, ItsSizeIsInItsHeader) {
  const std::string png = png_bytes(3, 2, 8, PNG_COLOR_TYPE_GRAY, {"abc", "def"});
  EXPECT_EQ(picture_size(png).width, 3);
  EXPECT_EQ(picture_size(png).height, 2);
  const std::string jpeg = jpeg_bytes(4, 300, std::string(3 * 4 * 300, 'a'), {.orientation = 6});
  EXPECT_EQ(picture_size(jpeg).width, 4);
  EXPECT_EQ(picture_size(jpeg).height, 300);
  for (std::size_t length = 0; length < jpeg.size(); ++length) {
    EXPECT_LE(picture_size(jpeg.substr(0, length)).width, 4);
  }
  EXPECT_EQ(picture_size("").width, 0);
  EXPECT_EQ(picture_size(png.substr(0, 23)).width, 0);
  EXPECT_EQ(picture_size(std::string("\xFF\xD8\xFF\0\0\0\0\0\0\0\0\0", 12)).height, 0);
}

// What a reader skips must not be taken for the header.
TEST(Picture, ItsSizeIsThatOfThePictureThatIsRead) {
  const auto size = [](const std::string& bytes) {
    const PictureSize found = picture_size(bytes);
    return ImageShape{found.height, found.width, 3};
  };
  std::string jpeg = jpeg_bytes(4, 300, std::string(3 * 4 * 300, 'a'));
  for (const char* between : {"\xFF", "\xFF\xFF\xFF", "\xFF\x01", "abc"}) {
    std::string filled = jpeg;
    filled.insert(filled.find("\xFF\xDB"), between);
    EXPECT_EQ(decode_picture(filled, "a").shape, (ImageShape{300, 4, 3}));
    EXPECT_EQ(size(filled), (ImageShape{300, 4, 3}));
  }
  std::string png = png_bytes(3, 2, 8, PNG_COLOR_TYPE_RGB, {"abcdefghi", "abcdefghi"});
  // An empty chunk "abCd" and its checksum.
  png.insert(8, std::string("\0\0\0\0abCd\x78\x06\xE9\xB3", 12));
  EXPECT_EQ(size(png), (ImageShape{0, 0, 3}));
  EXPECT_THAT(picture_refusal(png), HasSubstr("does not begin with its size"));
}

}  // namespace
}  // namespace yona::testing
