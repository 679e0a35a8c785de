#include "yona/encode/image_model.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/op_case.h"

namespace yona::testing {
namespace {

std::filesystem::path vit_folder(const std::string& name) {
  return std::filesystem::path(YONA_FIXTURES) / "vit" / name;
}

Picture stripes(std::int64_t height, std::int64_t width) {
  Picture picture({height, width, 3});
  for (std::size_t i = 0; i < picture.pixels.size(); ++i) {
    picture.pixels[i] = static_cast<std::uint8_t>(i * 7);
  }
  return picture;
}

TEST(ImageModel, GivesProbabilitiesOfAllLabels) {
  const auto model = ImageModel::load(vit_folder("vit"), shared_backend("cpu"));
  const auto answers = model->classify({{"a", stripes(20, 30)}, {"b", stripes(12, 12)}});
  ASSERT_EQ(answers.size(), 2U);
  for (const auto& labels : answers) {
    ASSERT_EQ(labels.size(), 3U);
    EXPECT_NEAR(labels[0].score + labels[1].score + labels[2].score, 1.0, 1e-9);
    EXPECT_GE(labels[0].score, labels[1].score);
  }
}

TEST(ImageModel, AnswersDoNotDependOnTheirNeighbours) {
  const auto model = ImageModel::load(vit_folder("deit-teacher"), shared_backend("cpu"));
  std::vector<ImageModel::NamedPicture> many;
  for (int i = 0; i < 700; ++i) {  // more than a batch
    many.push_back({"x", stripes(12, 10 + i % 5)});
  }
  const auto together = model->classify(many);
  const auto alone = model->classify({many[698]});
  EXPECT_EQ(together[698][0].label, alone[0][0].label);
  EXPECT_EQ(together[698][0].score, alone[0][0].score);
}

TEST(ImageModel, NoPictureHasNoAnswer) {
  const auto model = ImageModel::load(vit_folder("vit"), shared_backend("cpu"));
  EXPECT_TRUE(model->classify({}).empty());
}

}  // namespace
}  // namespace yona::testing
