#include "yona/data/images/image_examples.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

LabelledImages four_pictures() {
  LabelledImages images{"x", {2, 2, 1}, {}, {0, 1, 2, 1}};
  for (std::uint8_t i = 0; i < 16; ++i) {
    images.pixels.push_back(i);
  }
  return images;
}

const PatchMaker kWholePicture({{2, 2, 1}, 2, 2}, {.rescale = 1.0});

TEST(ImageExamples, GivePatchesAndLabels) {
  const ImageExamples examples({four_pictures(), four_pictures()}, 3, kWholePicture, {});
  EXPECT_EQ(examples.count(), 8U);
  EXPECT_EQ(examples.lengths(0)[kPatches], 1);
  Batch batch;
  examples.fill(std::vector<std::uint32_t>{2, 5}, 0, {}, batch);
  EXPECT_THAT(batch.sides[kPatches].values, ElementsAre(8, 9, 10, 11, 4, 5, 6, 7));
  EXPECT_EQ(batch.sides[kPatches].rows(), 2);
  EXPECT_THAT(batch.sides[kPatches].offsets, ElementsAre(0, 1, 2));
  EXPECT_THAT(batch.sides[kImageClass].ids, ElementsAre(2, 1));
  EXPECT_THAT(batch.example_ids, ElementsAre(example_id(0, 2), example_id(1, 1)));
}

TEST(ImageExamples, DrawTheSameChangesAgain) {
  const ImageExamples examples({four_pictures()}, 3, kWholePicture,
                               {.crop_padding = 1, .mirror = 0.5, .erase = 0.5});
  const std::vector<std::uint32_t> all{0, 1, 2, 3};
  Batch first;
  Batch again;
  Batch next;
  examples.fill(all, 0, {.seed = 3, .epoch = 1}, first);
  examples.fill(all, 0, {.seed = 3, .epoch = 1}, again);
  examples.fill(all, 0, {.seed = 3, .epoch = 2}, next);
  EXPECT_EQ(first.sides[kPatches].values, again.sides[kPatches].values);
  EXPECT_NE(first.sides[kPatches].values, next.sides[kPatches].values);
  examples.fill(std::vector<std::uint32_t>{2}, 0, {.seed = 3, .epoch = 1}, again);
  EXPECT_TRUE(std::equal(again.sides[kPatches].values.begin(), again.sides[kPatches].values.end(),
                         first.sides[kPatches].values.begin() + 8));
}

TEST(ImageExamples, ChangesTakeEveryPlaceAndStayInside) {
  std::set<std::pair<std::int64_t, std::int64_t>> places;
  int mirrored = 0;
  int erased = 0;
  for (std::uint64_t example = 0; example < 400; ++example) {
    const ImageChange change = draw_change({.crop_padding = 1, .mirror = 0.5, .erase = 0.25},
                                           {10, 8, 1}, {.seed = 1}, example);
    places.insert({change.down, change.right});
    mirrored += change.mirrored ? 1 : 0;
    erased += change.height > 0 ? 1 : 0;
    EXPECT_LE(change.top + change.height, 10);
    EXPECT_LE(change.left + change.width, 8);
    EXPECT_LE(std::abs(change.down), 1);
  }
  EXPECT_EQ(places.size(), 9U);
  EXPECT_NEAR(mirrored, 200, 40);
  EXPECT_NEAR(erased, 100, 40);
}

TEST(ImageExamples, UnknownLabelsAndOtherSizesAreNamed) {
  EXPECT_THAT(message_of<FormatError>(
                  [] { const ImageExamples examples({four_pictures()}, 2, kWholePicture, {}); }),
              HasSubstr("x: picture 3 has the label 2, which is unknown; those of the training "
                        "data are 0 to 1"));
  EXPECT_THAT(message_of<FormatError>([] {
                const PatchMaker other({{4, 2, 1}, 2, 2}, {});
                const ImageExamples examples({four_pictures()}, 3, other, {});
              }),
              HasSubstr("x: its pictures have 2 × 2 pixels and 1 channels; the model takes 4 × 2"));
}

}  // namespace
}  // namespace yona::testing
