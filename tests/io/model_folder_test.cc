#include "yona/io/model_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/io/huggingface.h"
#include "yona/io/json_file.h"
#include "yona/io/weight_copy.h"

#include "tests/harness/temp_dir.h"

namespace yona {
namespace {

using ::testing::HasSubstr;
using ::yona::testing::message_of;
using ::yona::testing::TempDir;

const std::vector<float> kValues = {1, 2, 3, 4, 5, 6, 0, 0};

ModelDescription two_wide() {
  ModelDescription d;
  d.d_model = 2;
  d.heads = 1;
  d.d_k = d.d_v = 2;
  d.source_vocab = d.target_vocab = 4;
  return d;
}

void save(const TempDir& folder, const ModelDescription& description,
          const std::vector<NamedArray>& parameters) {
  write_model_configs(folder.path(), description);
  const HuggingFaceWeights weights(description, parameters);
  write_safetensors(folder / "model.safetensors", weights.arrays(), HuggingFaceWeights::metadata());
}

const NamedArray kSharedValues = {"shared.weight", DType::f32, {4, 2}, kValues.data()};

TEST(ModelFolder, FindsFamilyTensorsUnderYonasNames) {
  const TempDir dir;
  save(dir, two_wide(), {kSharedValues});
  const ModelFolder folder(dir.path());
  EXPECT_EQ(folder.description(), two_wide());
  const NamedArray found = folder.get("shared.weight", {4, 2});
  EXPECT_EQ(found.name, "shared.weight");
  EXPECT_EQ(floats_of(found), floats_of(kSharedValues));
  EXPECT_EQ(folder.find("projection.bias")->shape, (Shape{4}));
  EXPECT_FALSE(folder.find("encoder.norm.weight").has_value());
}

TEST(ModelFolder, FindsOwnTensorsOfModelsWithoutAFamily) {
  const TempDir dir;
  ModelDescription d = two_wide();
  d.positions = "learned";
  save(dir, d, {kSharedValues});
  EXPECT_EQ(ModelFolder(dir.path()).description(), d);
  EXPECT_NO_THROW(ModelFolder(dir.path()).get("shared.weight", {4, 2}));
}

TEST(ModelFolder, NamesTensorsThatAreMissingOrOfAnotherShape) {
  const TempDir dir;
  save(dir, two_wide(), {kSharedValues});
  const ModelFolder folder(dir.path());
  EXPECT_THAT(message_of<FormatError>([&] { folder.get("encoder.norm.weight", {2}); }),
              HasSubstr("no tensor 'encoder.norm.weight' (or 'model.encoder.layer_norm.weight')"));
  EXPECT_THAT(message_of<FormatError>([&] {
                folder.get("shared.weight", {5, 2});
              }),
              HasSubstr("tensor 'shared.weight' has shape [4, 2], not [5, 2]"));
}

// A folder as others write it: no "yona" key, and a bias of their own or none.
bool has_projection_bias(const std::vector<NamedArray>& parameters, bool with_bias) {
  const TempDir dir;
  save(dir, two_wide(), parameters);
  Json config = read_json(dir / "config.json");
  config.erase("yona");
  write_json(dir / "config.json", config);
  if (!with_bias) {
    write_safetensors(dir / "model.safetensors", {&kSharedValues, 1});
  }
  return ModelFolder(dir.path()).description().projection_bias;
}

TEST(ModelFolder, TellsATrainedBiasFromOneThatOnlyBarsPadding) {
  const NamedArray bias = {"projection.bias", DType::f32, {4}, kValues.data()};
  EXPECT_TRUE(has_projection_bias({kSharedValues, bias}, true));
  EXPECT_FALSE(has_projection_bias({kSharedValues}, true));
  EXPECT_FALSE(has_projection_bias({kSharedValues}, false));
}

TEST(ModelFolder, NamesAMissingConfig) {
  const TempDir dir;
  EXPECT_THAT(message_of<FormatError>([&] { ModelFolder{dir.path()}; }), HasSubstr("config.json"));
}

}  // namespace
}  // namespace yona
