// Against torch.nn.functional.interpolate(antialias=True) on bytes, which computes as Pillow does.
#include "yona/data/images/resize.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace yona::testing {
namespace {

using ::testing::Each;
using ::testing::ElementsAreArray;

Picture pattern(std::int64_t height, std::int64_t width) {
  Picture picture({height, width, 1});
  for (std::int64_t y = 0; y < height; ++y) {
    for (std::int64_t x = 0; x < width; ++x) {
      *picture.at(y, x, 0) = static_cast<std::uint8_t>((37 * y * y + 91 * x + 53 * x * y) % 256);
    }
  }
  return picture;
}

// torch keeps weights in fewer bits: one step of a byte apart.
void expect_within_one(const Picture& actual, const std::vector<int>& expected) {
  ASSERT_EQ(actual.pixels.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(actual.pixels[i], expected[i], 1) << i;
  }
}

TEST(Resize, ReducesAsTorchAndPillowDo) {
  expect_within_one(resized(pattern(5, 7), 3, 4, Resample::bilinear),
                    {70, 124, 127, 138, 104, 98, 144, 95, 92, 130, 68, 65});
  expect_within_one(resized(pattern(5, 7), 3, 4, Resample::bicubic),
                    {68, 127, 130, 144, 104, 93, 153, 91, 88, 135, 65, 59});
}

TEST(Resize, EnlargesAsTorchAndPillowDo) {
  const Picture linear = resized(pattern(5, 7), 7, 9, Resample::bilinear);
  EXPECT_EQ(linear.shape, (ImageShape{7, 9, 1}));
  const std::vector<int> first{0, 61, 131, 145, 17, 88, 159, 144, 34};
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_NEAR(linear.pixels[i], first[i], 1);
  }
  const Picture cubic = resized(pattern(5, 7), 7, 9, Resample::bicubic);
  const std::vector<int> last{111, 153, 196, 230, 46, 22, 79, 112};
  for (std::size_t i = 0; i < last.size(); ++i) {
    EXPECT_NEAR(cubic.pixels[55 + i], last[i], 1);
  }
}

TEST(Resize, TheSameSizeIsTheSamePicture) {
  EXPECT_EQ(resized(pattern(4, 3), 4, 3, Resample::lanczos).pixels, pattern(4, 3).pixels);
}

TEST(Resize, AnEvenPictureStaysEvenWithEveryFilter) {
  Picture even({9, 5, 3});
  std::fill(even.pixels.begin(), even.pixels.end(), std::uint8_t{77});
  for (const Resample resample : {Resample::nearest, Resample::lanczos, Resample::bilinear,
                                  Resample::bicubic, Resample::box, Resample::hamming}) {
    EXPECT_THAT(resized(even, 4, 8, resample).pixels, Each(77));
    EXPECT_THAT(resized(even, 1, 1, resample).pixels, Each(77));
  }
}

TEST(Resize, NearestTakesPixelsAsTheyAre) {
  Picture two({1, 2, 1});
  two.pixels = {10, 20};
  EXPECT_THAT(resized(two, 2, 4, Resample::nearest).pixels,
              ElementsAreArray({10, 10, 20, 20, 10, 10, 20, 20}));
}

}  // namespace
}  // namespace yona::testing
