#include "yona/inspect/image_attention.h"

#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/json.h"

#include "tests/harness/op_case.h"

namespace yona::testing {
namespace {

using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::Pointwise;

ImageAttention of_fixture(const char* name) {
  Picture picture({20, 30, 3});
  for (std::size_t i = 0; i < picture.pixels.size(); ++i) {
    picture.pixels[i] = static_cast<std::uint8_t>(i % 251);
  }
  return inspect_image(std::filesystem::path(YONA_FIXTURES) / "vit" / name, shared_backend("cpu"),
                       picture, "a.png");
}

TEST(ImageAttention, RollOutMultipliesTheLayers) {
  const std::vector<std::vector<float>> weights{{0.2F, 0.8F, 0.6F, 0.4F}, {1.0F, 0.0F, 0.5F, 0.5F}};
  const auto rolled = attention_roll_out(weights, 2);
  // ½ A + ½ I: (0.6 0.4, 0.3 0.7) and (1 0, 0.25 0.75)
  EXPECT_THAT(rolled[0], Pointwise(FloatNear(1e-6F), {0.6F, 0.4F, 0.3F, 0.7F}));
  EXPECT_THAT(rolled[1], Pointwise(FloatNear(1e-6F), {0.6F, 0.4F, 0.375F, 0.625F}));
}

TEST(ImageAttention, HasEveryLayerAndHead) {
  for (const char* name : {"vit", "deit"}) {
    const ImageAttention attention = of_fixture(name);
    EXPECT_TRUE(attention.has_class_token);
    ASSERT_FALSE(attention.layers.empty());
    const auto patches = static_cast<std::size_t>(attention.rows * attention.columns);
    EXPECT_EQ(attention.roll_out.size(), attention.layers.size());
    for (std::size_t layer = 0; layer < attention.layers.size(); ++layer) {
      const std::vector<float>& weights = attention.layers[layer];
      EXPECT_EQ(weights.size(), patches * static_cast<std::size_t>(attention.heads));
      const std::vector<float> mean = attention.mean(layer);
      const float seen = std::accumulate(mean.begin(), mean.end(), 0.0F);
      EXPECT_GT(seen, 0.0F);
      EXPECT_LT(seen, 1.0F);  // the rest is on the class token itself
      EXPECT_EQ(attention.roll_out[layer].size(), patches);
    }
    EXPECT_EQ(attention.picture.shape.height % attention.rows, 0);
    EXPECT_GE(attention.labels[0].score, attention.labels.back().score);
  }
}

TEST(ImageAttention, IsOnePageOrJson) {
  const ImageAttention attention = of_fixture("vit");
  const std::string page = image_attention_page(attention);
  EXPECT_THAT(page, HasSubstr("<title>Where the model looked</title>"));
  EXPECT_EQ(page.find("__DATA__"), std::string::npos);
  const Json json = Json::parse(image_attention_json(attention));
  EXPECT_EQ(json["layers"].size(), attention.layers.size());
  EXPECT_EQ(json["image"], "a.png");
}

}  // namespace
}  // namespace yona::testing
