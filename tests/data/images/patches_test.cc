#include "yona/data/images/patches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

const ImageNormalisation kAsTheyAre{.rescale = 1.0};

std::vector<float> patches_of(const PatchGrid& grid, const std::vector<std::uint8_t>& pixels,
                              const ImageChange& change = {},
                              const ImageNormalisation& normalisation = kAsTheyAre) {
  std::vector<float> values;
  PatchMaker(grid, normalisation).append(pixels.data(), change, values);
  return values;
}

TEST(Patches, GoFromLeftToRightAndFromTopToBottom) {
  EXPECT_THAT(patches_of({{2, 4, 1}, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}),
              ElementsAre(1, 2, 5, 6, 3, 4, 7, 8));
}

TEST(Patches, HoldOneChannelAfterAnother) {
  EXPECT_THAT(patches_of({{1, 2, 3}, 1, 1}, {1, 2, 3, 4, 5, 6}), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(patches_of({{2, 2, 3}, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}),
              ElementsAre(1, 4, 7, 10, 2, 5, 8, 11, 3, 6, 9, 12));
}

TEST(Patches, OverlapWithASmallStride) {
  const PatchGrid grid{{2, 4, 1}, 2, 1};
  EXPECT_EQ(grid.count(), 3);
  EXPECT_THAT(patches_of(grid, {1, 2, 3, 4, 5, 6, 7, 8}),
              ElementsAre(1, 2, 5, 6, 2, 3, 6, 7, 3, 4, 7, 8));
}

TEST(Patches, AreNormalisedByChannel) {
  const std::vector<float> values =
      patches_of({{1, 1, 3}, 1, 1}, {0, 51, 255}, {},
                 {.rescale = 1.0 / 255.0, .mean = {0.5, 0.2, 0.0}, .deviation = {0.5, 0.1, 2.0}});
  EXPECT_FLOAT_EQ(values[0], -1.0F);
  EXPECT_NEAR(values[1], 0.0F, 1e-6F);
  EXPECT_FLOAT_EQ(values[2], 0.5F);
}

TEST(Patches, AMovedPictureHasBlackAroundIt) {
  const PatchGrid whole{{2, 2, 1}, 2, 2};
  EXPECT_THAT(patches_of(whole, {1, 2, 3, 4}, {.down = 1}), ElementsAre(0, 0, 1, 2));
  EXPECT_THAT(patches_of(whole, {1, 2, 3, 4}, {.right = -1}), ElementsAre(2, 0, 4, 0));
  EXPECT_THAT(patches_of(whole, {1, 2, 3, 4}, {.right = 1, .mirrored = true}),
              ElementsAre(0, 2, 0, 4));
}

TEST(Patches, ACoveredRectangleIsTheMean) {
  const PatchGrid whole{{2, 2, 1}, 2, 2};
  EXPECT_THAT(patches_of(whole, {1, 2, 3, 4}, {.top = 1, .left = 0, .height = 1, .width = 1}),
              ElementsAre(1, 2, 0, 4));
}

TEST(Patches, NormalisationMustFitTheChannels) {
  EXPECT_THAT(message_of<InvalidArgument>([] {
                PatchMaker({{2, 2, 3}, 2, 2}, {.mean = {0.5}});
              }),
              HasSubstr("1 numbers normalise pictures of 3 channels"));
}

}  // namespace
}  // namespace yona::testing
