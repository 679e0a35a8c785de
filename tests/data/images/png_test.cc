// PNG files as decode_picture() reads them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/data/images/picture.h"

#include "tests/data/images/picture_files.h"
#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Picture png_decoded(const std::string& bytes) { return decode_picture(bytes, "x.png"); }

std::string png_refusal(const std::string& bytes, std::int64_t most = kMostPixels) {
  return message_of<FormatError>([&] { decode_picture(bytes, "x.png", most); });
}

TEST(PicturePng, ColourAndGreyAreReadAsTheyAre) {
  const Picture colour = png_decoded(png_bytes(2, 1, 8, PNG_COLOR_TYPE_RGB, {"abcdef"}));
  EXPECT_EQ(colour.shape, (ImageShape{1, 2, 3}));
  EXPECT_THAT(colour.pixels, ElementsAre('a', 'b', 'c', 'd', 'e', 'f'));
  const Picture grey = png_decoded(png_bytes(2, 2, 8, PNG_COLOR_TYPE_GRAY, {"ab", "cd"}, true));
  EXPECT_EQ(grey.shape, (ImageShape{2, 2, 1}));
  EXPECT_THAT(grey.pixels, ElementsAre('a', 'b', 'c', 'd'));
}

TEST(PicturePng, OneBitAndSixteenBitsBecomeEight) {
  EXPECT_THAT(png_decoded(png_bytes(3, 1, 1, PNG_COLOR_TYPE_GRAY, {"\xA0"})).pixels,
              ElementsAre(255, 0, 255));
  const std::string row("\xFF\xFF\x80\x80\x00\x80", 6);
  EXPECT_THAT(png_decoded(png_bytes(3, 1, 16, PNG_COLOR_TYPE_GRAY, {row})).pixels,
              ElementsAre(255, 128, 0));
}

TEST(PicturePng, TransparentPicturesLieOnWhite) {
  const std::string row("\x10\x20\x30\xFF\x10\x20\x30\x00\x00\x00\x00\x80", 12);
  EXPECT_THAT(png_decoded(png_bytes(3, 1, 8, PNG_COLOR_TYPE_RGBA, {row})).pixels,
              ElementsAre(0x10, 0x20, 0x30, 255, 255, 255, 127, 127, 127));
  const Picture grey = png_decoded(
      png_bytes(2, 1, 8, PNG_COLOR_TYPE_GRAY_ALPHA, {std::string("\x10\xFF\x10\0", 4)}));
  EXPECT_THAT(grey.pixels, ElementsAre(0x10, 255));
}

TEST(PicturePng, PalettesBecomeColours) {
  EXPECT_THAT(
      png_decoded(png_bytes(2, 1, 8, PNG_COLOR_TYPE_PALETTE, {std::string("\0\1", 2)})).pixels,
      ElementsAre(255, 0, 0, 255, 255, 255));
}

TEST(PicturePng, TruncatedAndDamagedFilesAreNamed) {
  const std::string whole = png_bytes(2, 1, 8, PNG_COLOR_TYPE_RGB, {"abcdef"});
  for (std::size_t size = 8; size < whole.size(); ++size) {
    EXPECT_THAT(png_refusal(whole.substr(0, size)), HasSubstr("x.png: the PNG picture ends early"));
  }
  std::string damaged = whole;
  damaged[20] = static_cast<char>(damaged[20] ^ 1);
  EXPECT_THAT(png_refusal(damaged), HasSubstr("x.png: the PNG picture is damaged"));
}

TEST(PicturePng, TooManyPixelsAreRefused) {
  EXPECT_THAT(png_refusal(png_bytes(2, 1, 8, PNG_COLOR_TYPE_RGB, {"abcdef"}), 1),
              HasSubstr("x.png: has 2 × 1 pixels, more than the 1 that are read"));
}

}  // namespace
}  // namespace yona::testing
