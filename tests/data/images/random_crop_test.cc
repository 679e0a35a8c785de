#include "yona/data/images/random_crop.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

namespace yona::testing {
namespace {

// Each pixel says where it is.
Picture places() {
  Picture picture({16, 12, 3});
  for (std::int64_t y = 0; y < 16; ++y) {
    for (std::int64_t x = 0; x < 12; ++x) {
      *picture.at(y, x, 0) = static_cast<std::uint8_t>(10 * y);
      *picture.at(y, x, 1) = static_cast<std::uint8_t>(10 * x);
    }
  }
  return picture;
}

TEST(RandomCrop, KeepsTheSizeAndAPartOfThePicture) {
  std::set<std::vector<std::uint8_t>> different;
  for (std::uint64_t key = 0; key < 30; ++key) {
    RandomSequence random(key);
    const Picture got = random_crop(places(), 0.25, random);
    EXPECT_EQ(got.shape, places().shape);
    const double rows = (*got.at(15, 0, 0) - *got.at(0, 0, 0)) / 10.0 + 1.0;
    const double columns = (*got.at(0, 11, 1) - *got.at(0, 0, 1)) / 10.0 + 1.0;
    EXPECT_GT(rows * columns, 0.2 * 16 * 12);
    different.insert(got.pixels);
  }
  EXPECT_GT(different.size(), 20U);
}

TEST(RandomCrop, TheWholePictureStaysAsItIs) {
  // A square that is not larger than the picture, or the picture where none fits.
  RandomSequence random(3);
  const Picture got = random_crop(places(), 1.0, random);
  EXPECT_EQ(got.shape, places().shape);
}

}  // namespace
}  // namespace yona::testing
