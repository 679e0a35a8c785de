#include "yona/io/image_processor_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr ImageShape kShape{224, 224, 3};

ImageProcessor processor_of(const Json& json) {
  return read_image_processor(json, "p.json", kShape);
}

TEST(ImageProcessorConfig, WhatIsLeftOutIsAsTheHubHasIt) {
  const ImageProcessor processor = processor_of(Json::object());
  EXPECT_EQ(processor.height, 224);
  EXPECT_EQ(processor.resample, Resample::bilinear);
  EXPECT_DOUBLE_EQ(processor.normalisation.rescale, 1.0 / 255.0);
  EXPECT_THAT(processor.normalisation.mean, ElementsAre(0.5, 0.5, 0.5));
}

TEST(ImageProcessorConfig, SizesAreNumbersOrSidesOrTheShortestSide) {
  EXPECT_EQ(processor_of({{"size", 256}}).width, 256);
  EXPECT_EQ(processor_of({{"size", {{"height", 10}, {"width", 20}}}}).width, 20);
  EXPECT_EQ(processor_of({{"size", {{"shortest_edge", 256}}}}).shortest_side, 256);
}

TEST(ImageProcessorConfig, DeitCutsOutTheMiddle) {
  const ImageProcessor processor =
      processor_of({{"size", 256}, {"resample", 3}, {"do_center_crop", true}, {"crop_size", 224}});
  EXPECT_EQ(processor.crop_height, 224);
  EXPECT_EQ(processor.resample, Resample::bicubic);
}

TEST(ImageProcessorConfig, SwitchesAreHeeded) {
  const ImageProcessor processor =
      processor_of({{"do_resize", false}, {"do_rescale", false}, {"do_normalize", false}});
  EXPECT_FALSE(processor.resizes);
  EXPECT_EQ(processor.normalisation.rescale, 1.0);
  EXPECT_TRUE(processor.normalisation.mean.empty());
}

TEST(ImageProcessorConfig, WrongValuesAreNamed) {
  const auto refusal = [](const Json& json) {
    return message_of<FormatError>([&] { processor_of(json); });
  };
  EXPECT_THAT(refusal({{"resample", 9}}), HasSubstr("p.json: \"resample\" is 9; expected 0 to 5"));
  EXPECT_THAT(refusal({{"image_mean", {0.5}}}), HasSubstr("\"image_mean\" has 1 numbers"));
  EXPECT_THAT(refusal({{"image_std", {0.0, 1.0, 1.0}}}), HasSubstr("\"image_std\" holds 0"));
  EXPECT_THAT(refusal({{"size", "big"}}), HasSubstr("expected a number or height and width"));
  EXPECT_THAT(refusal({{"size", 0}}), HasSubstr("expected 1 to 16384 pixels"));
  EXPECT_THAT(refusal(Json::array()), HasSubstr("is not a JSON object"));
}

}  // namespace
}  // namespace yona::testing
