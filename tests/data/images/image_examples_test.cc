#include "yona/data/images/image_examples.h"

#include <cmath>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/backend/picture_args.h"
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
  EXPECT_THAT(batch.sides[kPatches].bytes, ElementsAre(8, 9, 10, 11, 4, 5, 6, 7));
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
  EXPECT_EQ(first.sides[kPatches].bytes, again.sides[kPatches].bytes);
  EXPECT_NE(first.sides[kPatches].bytes, next.sides[kPatches].bytes);
  examples.fill(std::vector<std::uint32_t>{2}, 0, {.seed = 3, .epoch = 1}, again);
  EXPECT_TRUE(std::equal(again.sides[kPatches].bytes.begin(), again.sides[kPatches].bytes.end(),
                         first.sides[kPatches].bytes.begin() + 8));
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

TEST(ImageExamples, MixPicturesAndLabels) {
  const ImageExamples plain({four_pictures()}, 3, kWholePicture, {});
  const ImageExamples mixed({four_pictures()}, 3, kWholePicture, {.mixup = 0.8});
  EXPECT_EQ(mixed.lengths(0)[kMixedClass], 1);
  const std::vector<std::uint32_t> all{0, 1, 2, 3};
  Batch own;
  Batch batch;
  plain.fill(all, 0, {.seed = 3, .epoch = 1}, own);
  mixed.fill(all, 0, {.seed = 3, .epoch = 1}, batch);
  EXPECT_EQ(batch.sides[kImageClass].ids, own.sides[kImageClass].ids);
  EXPECT_EQ(batch.sides[kPatches].bytes, own.sides[kPatches].bytes);
  ASSERT_EQ(batch.sides[kImageChanges].rows(), 4);
  for (std::size_t i = 0; i < 4; ++i) {
    const float share = batch.sides[kImageChanges].values[i * kPictureChanges];
    EXPECT_GE(share, 0.5F);
    EXPECT_LE(share, 1.0F);
    // The other picture, by its first pixel: 0, 4, 8 or 12.
    const std::uint8_t other = batch.sides[kMixedClass].bytes.at(4 * i);
    EXPECT_EQ(other % 4, 0);
    EXPECT_EQ(batch.sides[kMixedClass].ids[i], four_pictures().labels.at(other / 4U));
  }
  Batch alone;  // the same whatever else is in the batch
  mixed.fill(std::vector<std::uint32_t>{2}, 0, {.seed = 3, .epoch = 1}, alone);
  EXPECT_EQ(alone.sides[kImageChanges].values[0],
            batch.sides[kImageChanges].values[2 * kPictureChanges]);
  EXPECT_EQ(alone.sides[kMixedClass].bytes[0], batch.sides[kMixedClass].bytes[8]);
}

TEST(ImageExamples, SharesAreDrawnFromABetaDistribution) {
  for (const double alpha : {0.2, 0.8, 1.0}) {
    RandomSequence random(7);
    double sum = 0;
    double squares = 0;
    constexpr int kDraws = 20000;
    for (int i = 0; i < kDraws; ++i) {
      const double x = draw_beta(alpha, random);
      ASSERT_GE(x, 0.0);
      ASSERT_LE(x, 1.0);
      sum += x;
      squares += x * x;
    }
    const double mean = sum / kDraws;
    EXPECT_NEAR(mean, 0.5, 0.015);
    EXPECT_NEAR(squares / kDraws - mean * mean, 1.0 / (4.0 * (2.0 * alpha + 1.0)), 0.01);
  }
}

TEST(ImageExamples, CropsAndOperationsAreDrawnAgainInEveryEpoch) {
  LabelledImages large{"x", {8, 8, 1}, {}, {0}};
  for (int i = 0; i < 64; ++i) {
    large.pixels.push_back(static_cast<std::uint8_t>(4 * i));
  }
  const PatchMaker whole({{8, 8, 1}, 8, 8}, {.rescale = 1.0});
  const ImageExamples examples({large}, 1, whole,
                               {.crop_area = 0.3, .rand_augment = {.operations = 2}});
  std::set<std::vector<std::uint8_t>> different;
  for (std::int64_t epoch = 0; epoch < 8; ++epoch) {
    Batch batch;
    Batch again;
    examples.fill(std::vector<std::uint32_t>{0}, 0, {.seed = 1, .epoch = epoch}, batch);
    examples.fill(std::vector<std::uint32_t>{0}, 0, {.seed = 1, .epoch = epoch}, again);
    EXPECT_EQ(batch.sides[kPatches].bytes, again.sides[kPatches].bytes);
    different.insert(batch.sides[kPatches].bytes);
  }
  EXPECT_GT(different.size(), 5U);
}

}  // namespace
}  // namespace yona::testing
