// JPEG files as decode_picture() reads them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/data/images/picture.h"

#include "tests/data/images/picture_files.h"
#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

Picture jpeg_decoded(const std::string& bytes) { return decode_picture(bytes, "x.jpg"); }

std::string jpeg_refusal(const std::string& bytes, std::int64_t most = kMostPixels) {
  return message_of<FormatError>([&] { decode_picture(bytes, "x.jpg", most); });
}

// A picture that is red at its left end: 16 × 8, so that blocks of JPEG hold one colour each.
std::string red_left() {
  std::string pixels;
  for (int y = 0; y < 8; ++y) {
    for (int x = 0; x < 16; ++x) {
      pixels += x < 8 ? std::string("\xF0\x10\x10", 3) : std::string("\x10\x10\xF0", 3);
    }
  }
  return pixels;
}

bool is_red(const Picture& picture, std::int64_t y, std::int64_t x) {
  return *picture.at(y, x, 0) > 200 && *picture.at(y, x, 2) < 60;
}

TEST(PictureJpeg, ColoursAndGreyAreRead) {
  const Picture colour = jpeg_decoded(jpeg_bytes(16, 8, red_left()));
  EXPECT_EQ(colour.shape, (ImageShape{8, 16, 3}));
  EXPECT_TRUE(is_red(colour, 4, 2));
  EXPECT_FALSE(is_red(colour, 4, 13));
  const Picture grey =
      jpeg_decoded(jpeg_bytes(8, 8, std::string(64, '\x50'), {.colours = JCS_GRAYSCALE}));
  EXPECT_EQ(grey.shape, (ImageShape{8, 8, 1}));
  EXPECT_THAT(grey.pixels, Each(0x50));
  EXPECT_TRUE(is_red(jpeg_decoded(jpeg_bytes(16, 8, red_left(), {.progressive = true})), 4, 2));
}

TEST(PictureJpeg, IsTurnedAsExifSays) {
  const auto turned = [](int orientation) {
    return jpeg_decoded(jpeg_bytes(16, 8, red_left(), {.orientation = orientation}));
  };
  for (const int orientation : {1, 4}) {  // red stays on the left
    EXPECT_TRUE(is_red(turned(orientation), 4, 2)) << orientation;
  }
  for (const int orientation : {2, 3}) {
    EXPECT_TRUE(is_red(turned(orientation), 4, 13)) << orientation;
  }
  for (const int orientation : {5, 6}) {  // a camera held upright: red on top
    EXPECT_EQ(turned(orientation).shape, (ImageShape{16, 8, 3}));
    EXPECT_TRUE(is_red(turned(orientation), 2, 4)) << orientation;
  }
  for (const int orientation : {7, 8}) {
    EXPECT_TRUE(is_red(turned(orientation), 13, 4)) << orientation;
  }
  EXPECT_TRUE(is_red(turned(9), 4, 2));  // not an orientation
}

TEST(PictureJpeg, InkBecomesColours) {
  // Adobe's bytes: 255 is no ink. Here cyan and yellow are without ink, magenta is full.
  std::string pixels;
  for (int i = 0; i < 64; ++i) {
    pixels += std::string("\xFF\x00\xFF\xFF", 4);
  }
  const Picture picture = jpeg_decoded(jpeg_bytes(8, 8, pixels, {.colours = JCS_CMYK}));
  EXPECT_EQ(picture.shape.channels, 3);
  EXPECT_GT(*picture.at(4, 4, 0), 250);
  EXPECT_LT(*picture.at(4, 4, 1), 5);
  EXPECT_GT(*picture.at(4, 4, 2), 250);
}

TEST(PictureJpeg, TruncatedDamagedAndHugeFilesAreNamed) {
  const std::string whole = jpeg_bytes(16, 8, red_left());
  EXPECT_THAT(jpeg_refusal(whole.substr(0, whole.size() / 2)),
              HasSubstr("x.jpg: the JPEG picture"));
  EXPECT_THAT(jpeg_refusal(whole.substr(0, whole.size() - 4)), HasSubstr("ends early"));
  EXPECT_THAT(jpeg_refusal(std::string("\xFF\xD8\xFF\xD9", 4)), HasSubstr("is damaged"));
  EXPECT_THAT(jpeg_refusal(whole, 100), HasSubstr("has 16 × 8 pixels, more than the 100"));
}

TEST(PictureJpeg, BrokenExifIsNotHeeded) {
  std::string bytes = jpeg_bytes(16, 8, red_left(), {.orientation = 6});
  const std::size_t at = bytes.find("Exif");
  ASSERT_NE(at, std::string::npos);
  bytes[at + 12] = '\x7F';  // where the list of tags would be
  EXPECT_TRUE(is_red(jpeg_decoded(bytes), 4, 2));
}

}  // namespace
}  // namespace yona::testing
