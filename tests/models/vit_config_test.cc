#include "yona/models/vit_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/models/vit.h"
#include "yona/nn/parameters.h"

#include "tests/harness/op_case.h"
#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

using ::testing::HasSubstr;

std::int64_t vit_parameters(VitConfig config) {
  Vit model(config);
  std::int64_t count = 0;
  model.visit(
      [&](const std::string&, Parameter& parameter) { count += parameter.shape.elements(); });
  return count;
}

TEST(VitConfig, PresetsHaveThePublishedSizes) {
  VitConfig base = vit_preset("vit-base");
  base.labels = 1000;
  EXPECT_EQ(base.tokens(), 197);
  EXPECT_EQ(vit_parameters(base), 86567656);  // google/vit-base-patch16-224
  VitConfig small = vit_preset("vit-small");
  small.labels = 1000;
  EXPECT_EQ(vit_parameters(small), 22050664);  // ViT-S/16
}

TEST(VitConfig, TheSmallestHasLessThanAMillionParameters) {
  VitConfig config = vit_preset("vit-tiny");
  config.image_height = config.image_width = 28;
  config.channels = 1;
  config.labels = 10;
  EXPECT_EQ(config.tokens(), 50);
  EXPECT_LT(vit_parameters(config), 1000000);
}

TEST(VitConfig, PatchesMustCoverThePicture) {
  VitConfig config = vit_preset("vit-tiny");
  config.image_height = config.image_width = 30;
  EXPECT_THAT(message_of<InvalidArgument>([&] { check_config(config); }),
              HasSubstr("model.patch: patches of 4 pixels, 4 apart, do not cover pictures of 30 × "
                        "30"));
  config.stride = 2;
  check_config(config);
  EXPECT_EQ(config.patches(), 14 * 14);
  config.patch = 31;
  EXPECT_THAT(message_of<InvalidArgument>([&] { check_config(config); }),
              HasSubstr("model.patch: 31 pixels do not fit"));
}

TEST(VitConfig, AnUnknownPresetIsAnsweredWithTheList) {
  EXPECT_THAT(message_of<InvalidArgument>([] { vit_preset("vit-huge"); }),
              HasSubstr("use vit-tiny, vit-small, vit-base"));
}

}  // namespace
}  // namespace yona::testing
