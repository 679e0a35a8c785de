// Image classifiers against transformers: the folders of tests/fixtures/vit (made by
// tools/fixtures/vit.py), their logits, losses and gradients.

#include "yona/io/image_folder.h"

#include <algorithm>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/data/images/image_examples.h"
#include "yona/io/json_file.h"
#include "yona/io/safetensors_folder.h"
#include "yona/tasks/image_classification/image_objective.h"
#include "yona/train/learner.h"

#include "tests/harness/compare.h"
#include "tests/harness/fixture_arrays.h"
#include "tests/harness/op_case.h"
#include "tests/harness/random_tensor.h"
#include "tests/harness/temp_dir.h"
#include "tests/harness/tolerances.h"

namespace yona::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

fs::path vit_fixture(const std::string& name) { return fs::path(YONA_FIXTURES) / "vit" / name; }

// [S, channels, height, width] → patches
std::vector<float> patches_of_pixels(const std::vector<float>& pixels, const VitConfig& config) {
  std::vector<float> patches;
  const std::int64_t height = config.image_height;
  const std::int64_t width = config.image_width;
  const std::int64_t image = config.channels * height * width;
  for (std::int64_t s = 0; s * image < static_cast<std::int64_t>(pixels.size()); ++s) {
    for (std::int64_t top = 0; top < height; top += config.patch) {
      for (std::int64_t left = 0; left < width; left += config.patch) {
        for (std::int64_t i = 0; i < config.patch_values(); ++i) {
          const std::int64_t channel = i / (config.patch * config.patch);
          const std::int64_t y = top + i / config.patch % config.patch;
          const std::int64_t x = left + i % config.patch;
          patches.push_back(
              pixels[static_cast<std::size_t>(s * image + (channel * height + y) * width + x)]);
        }
      }
    }
  }
  return patches;
}

class ImageFixture : public ::testing::TestWithParam<std::string> {
 protected:
  ImageFixture()
      : folder_(vit_fixture(GetParam())),
        info_(read_image_info(folder_)),
        file_(folder_ / "expected.safetensors"),
        patches_(patches_of_pixels(array_of<float>(file_, "pixels"), info_.config)) {}

  fs::path folder_;
  ImageModelInfo info_;
  SafetensorsFile file_;
  std::vector<float> patches_;
};

TEST_P(ImageFixture, LogitsAreThoseOfTransformers) {
  Vit model(info_.config);
  Backend& backend = shared_backend("cpu");
  Parameters parameters(model, backend, Gradients::no);
  read_image_weights(folder_, info_, parameters);
  Region region(backend, std::int64_t{1} << 26U);
  Context c{.region = region};
  const VitInput input = model.input({.patches = patches_}, region);
  expect_near(values_of(model.logits(input, model.states(input, c), c)),
              doubles_of(file_, "logits"), kModelF32, "logits");
}

TEST_P(ImageFixture, LossAndGradientsAreThoseOfTransformers) {
  if (info_.config.distillation_classifier) {
    GTEST_SKIP() << "two classifiers are not trained";
  }
  ImageObjective objective(info_.config, {}, PatchMaker(patch_grid(info_.config), {}));
  Backend& backend = shared_backend("cpu");
  Parameters parameters(objective.model(), backend, Gradients::yes);
  read_image_weights(folder_, info_, parameters);
  parameters.zero_gradients();
  Learner learner(objective, parameters, backend);
  Batch batch;
  batch.clear();
  batch.sides[kPatches].values = patches_;
  batch.sides[kPatches].width = info_.config.patch_values();
  batch.sides[kImageClass].ids = array_of<std::int32_t>(file_, "targets");
  for (std::int64_t s = 0; s < 3; ++s) {
    batch.sides[kPatches].offsets.push_back((s + 1) * info_.config.patches());
    batch.sides[kImageClass].offsets.push_back(s + 1);
    batch.example_ids.push_back(static_cast<std::uint64_t>(s));
    batch.weights.push_back(1.0F);
  }
  const LossSums sums = learner.accumulate(batch, {}, objective.weight(batch)).read();
  const double loss = doubles_of(file_, "loss").front();
  EXPECT_NEAR(sums.nll / static_cast<double>(sums.rows), loss, kModelF32 * loss);
  std::size_t compared = 0;
  for (const Parameters::Entry& entry : parameters.entries()) {
    if (entry.name.ends_with("key.bias")) {
      continue;  // it changes no softmax: what is there is noise
    }
    const std::string name = "gradient." + image_weight_names(entry.name, info_).front();
    ASSERT_TRUE(file_.find(name)) << name;
    EXPECT_LE(norm_error(values_of(entry.value.gradient()), doubles_of(file_, name)), kModelF32)
        << entry.name;
    ++compared;
  }
  EXPECT_GT(compared, 25U);
}

TEST_P(ImageFixture, IsWrittenAsItWasRead) {
  Vit model(info_.config);
  Parameters parameters(model, shared_backend("cpu"), Gradients::no);
  read_image_weights(folder_, info_, parameters);
  const TempDir copy;
  write_json(copy.path() / "config.json", image_config(info_));
  write_json(copy.path() / "preprocessor_config.json", processor_config(info_));
  write_image_weights(copy.path() / "model.safetensors", info_, parameters, parameters.weights());
  const SafetensorsFolder before(folder_);
  const SafetensorsFolder after(copy.path());
  EXPECT_EQ(after.names(), before.names());
  for (const std::string& name : after.names()) {
    EXPECT_EQ(after.find(name)->shape, before.find(name)->shape) << name;
  }
  EXPECT_EQ(read_json(copy.path() / "preprocessor_config.json"),
            read_json(folder_ / "preprocessor_config.json"));
  const ImageModelInfo again = read_image_info(copy.path());
  EXPECT_EQ(again.labels, info_.labels);
  const std::vector<float> weights = parameters.weights().to_vector<float>();
  read_image_weights(copy.path(), again, parameters);
  EXPECT_EQ(parameters.weights().to_vector<float>(), weights);
}

INSTANTIATE_TEST_SUITE_P(Families, ImageFixture,
                         ::testing::Values("vit", "vit-grey", "deit", "deit-teacher"),
                         [](const auto& each) {
                           std::string name = each.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(ImageFolder, NamesAModelTypeThatIsNotOfPictures) {
  const TempDir folder;
  write_json(folder.path() / "config.json", Json{{"model_type", "bert"}});
  EXPECT_THAT(message_of<FormatError>([&] { read_image_info(folder.path()); }),
              HasSubstr("\"model_type\" is \"bert\", which is not an image classifier"));
}

TEST(ImageFolder, NamesSizesThatDoNotGoTogether) {
  const TempDir folder;
  write_json(folder.path() / "config.json",
             Json{{"model_type", "vit"}, {"image_size", 10}, {"patch_size", 4}});
  EXPECT_THAT(message_of<FormatError>([&] { read_image_info(folder.path()); }),
              HasSubstr("config.json: model.patch: patches of 4 pixels"));
}

TEST(ImageFolder, WhatTransformersCannotHoldIsKeptUnderYonasOwnType) {
  VitConfig config = vit_preset("vit-tiny");
  config.image_height = config.image_width = 28;
  config.channels = 1;
  config.labels = 2;
  EXPECT_EQ(choose_image_family(config).family, "vit");
  config.stride = 2;
  EXPECT_THAT(choose_image_family(config).reason, HasSubstr("its patches overlap"));
  config.image_vector = ImageVector::mean;
  EXPECT_EQ(choose_image_family(config).family, kOwnVit);

  Vit model(config);
  Parameters parameters(model, shared_backend("cpu"), Gradients::no);
  parameters.initialise(1);
  ImageModelInfo info{config, std::string(kOwnVit), {"a", "b"}};
  info.processor = processor_for(config, {.mean = {0.25}, .deviation = {0.5}});
  const TempDir folder;
  write_json(folder.path() / "config.json", image_config(info));
  write_json(folder.path() / "preprocessor_config.json", processor_config(info));
  write_image_weights(folder.path() / "model.safetensors", info, parameters, parameters.weights());
  const ImageModelInfo again = read_image_info(folder.path());
  EXPECT_EQ(again.config.stride, 2);
  EXPECT_EQ(again.config.image_vector, ImageVector::mean);
  EXPECT_EQ(again.labels, info.labels);
  EXPECT_EQ(again.processor.normalisation.mean, info.processor.normalisation.mean);
  EXPECT_TRUE(read_image_weights(folder.path(), again, parameters).empty());
}

}  // namespace
}  // namespace yona::testing
