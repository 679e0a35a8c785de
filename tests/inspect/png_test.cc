#include "yona/inspect/png.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kSquare =
    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"10\" height=\"20\">"
    "<rect width=\"10\" height=\"20\" fill=\"#123456\"/></svg>";

// A build without librsvg says so instead.
std::string png_or_skip(const std::string& svg, double scale) {
  try {
    return png_of(svg, scale);
  } catch (const NotImplemented& error) {
    EXPECT_THAT(error.what(), HasSubstr("librsvg2-dev"));
    return "";
  }
}

std::uint32_t number(const std::string& bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    value = (value << 8U) | static_cast<unsigned char>(bytes.at(at + i));
  }
  return value;
}

TEST(Png, HasTheSizeOfTheFigureTimesTheScale) {
  const std::string png = png_or_skip(kSquare, 2);
  if (png.empty()) {
    GTEST_SKIP() << "built without librsvg";
  }
  EXPECT_THAT(png, StartsWith("\x89PNG\r\n\x1a\n"));
  EXPECT_EQ(number(png, 16), 20U);
  EXPECT_EQ(number(png, 20), 40U);
}

TEST(Png, RefusesWhatIsTooLargeOrNoFigure) {
  if (png_or_skip(kSquare, 1).empty()) {
    GTEST_SKIP() << "built without librsvg";
  }
  EXPECT_EQ(message_of<InvalidArgument>([] { png_of(kSquare, 4000); }),
            "png: a picture of 40000 × 80000 pixels is too large, 32000 a side at most; write "
            "--format svg");
  EXPECT_THAT(message_of<DeviceError>([] { png_of("no figure"); }), StartsWith("png: librsvg: "));
}

}  // namespace
}  // namespace yona::testing
