#include "yona/data/images/picture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

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

}  // namespace
}  // namespace yona::testing
