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
  d.config.d_model = 2;
  d.config.heads = 1;
  d.config.d_k = d.config.d_v = 2;
  d.config.source_vocabulary = d.config.target_vocabulary = 4;
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
  d.config.positions = PositionKind::learned;
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
  return ModelFolder(dir.path()).description().config.departures.projection_bias;
}

TEST(ModelFolder, TellsATrainedBiasFromOneThatOnlyBarsPadding) {
  const NamedArray bias = {"projection.bias", DType::f32, {4}, kValues.data()};
  EXPECT_TRUE(has_projection_bias({kSharedValues, bias}, true));
  EXPECT_FALSE(has_projection_bias({kSharedValues}, true));
  EXPECT_FALSE(has_projection_bias({kSharedValues}, false));
}

// A foreign folder of the family with these tensors, each named as it is there.
Tying tying_of(const char* type, bool ties, const std::vector<std::string>& tensors,
               const std::vector<std::string>& others = {}) {
  const TempDir dir;
  write_model_configs(dir.path(), two_wide());
  Json config = read_json(dir / "config.json");
  config.erase("yona");
  config["model_type"] = type;
  config["tie_word_embeddings"] = ties;
  config["normalize_before"] = std::string_view(type) == "pegasus";
  write_json(dir / "config.json", config);
  const std::vector<float> other_values = {8, 7, 6, 5, 4, 3, 2, 1};
  std::vector<NamedArray> arrays;
  for (const std::string& name : tensors) {
    arrays.push_back({name, DType::f32, {4, 2}, kValues.data()});
  }
  for (const std::string& name : others) {
    arrays.push_back({name, DType::f32, {4, 2}, other_values.data()});
  }
  write_safetensors(dir / "model.safetensors", arrays);
  const ModelFolder folder(dir.path());
  const ModelDescription& d = folder.description();
  if (d.config.tying == Tying::none || d.config.tying == Tying::inputs) {
    EXPECT_EQ(folder.get("projection.weight", {4, 2}).name, "projection.weight");
  }
  return d.config.tying;
}

TEST(ModelFolder, TellsWhichEmbeddingsAreOneAsTransformersDoes) {
  const std::string shared = "model.shared.weight";
  const std::string encoder = "model.encoder.embed_tokens.weight";
  const std::string decoder = "model.decoder.embed_tokens.weight";
  const std::string head = "lm_head.weight";
  for (const char* family : {"marian", "pegasus"}) {
    EXPECT_EQ(tying_of(family, true, {shared}), Tying::all);
    EXPECT_EQ(tying_of(family, true, {head}), Tying::all);
    EXPECT_EQ(tying_of(family, true, {shared, encoder, decoder, head}), Tying::all);
    EXPECT_EQ(tying_of(family, true, {shared}, {head}), Tying::inputs);
    EXPECT_EQ(tying_of(family, true, {shared}, {encoder}), Tying::target);
    EXPECT_EQ(tying_of(family, true, {shared}, {decoder}), Tying::none);
    EXPECT_EQ(tying_of(family, false, {shared, encoder, head}, {decoder}), Tying::none);
    EXPECT_EQ(tying_of(family, false, {shared}, {head}),
              Tying::inputs);  // as transformers 4 wrote them
    EXPECT_EQ(tying_of(family, false, {shared, encoder, decoder}, {head}), Tying::inputs);
  }
}

TEST(ModelFolder, RefusesUntiedWeightsThatAreNotThere) {
  EXPECT_THAT(message_of<FormatError>([&] { tying_of("marian", false, {"model.shared.weight"}); }),
              HasSubstr("no tensor 'lm_head.weight', and config.json does not tie it to another"));
  EXPECT_THAT(message_of<FormatError>([&] {
                tying_of("marian", false, {"lm_head.weight", "model.decoder.embed_tokens.weight"});
              }),
              HasSubstr("no tensor 'model.encoder.embed_tokens.weight'"));
}

// What transformers would fill with random numbers is written, once for each use.
TEST(ModelFolder, WritesEveryUseOfInputsThatAreOne) {
  const TempDir dir;
  ModelDescription d = two_wide();
  d.config.tying = Tying::inputs;
  const std::vector<float> other_values = {8, 7, 6, 5, 4, 3, 2, 1};
  const NamedArray projection = {"projection.weight", DType::f32, {4, 2}, other_values.data()};
  save(dir, d, {kSharedValues, projection});
  const Json config = read_json(dir / "config.json");
  EXPECT_EQ(config["tie_word_embeddings"], false);
  EXPECT_EQ(config["share_encoder_decoder_embeddings"], false);
  const SafetensorsFolder weights(dir.path());
  for (const char* name :
       {"model.encoder.embed_tokens.weight", "model.decoder.embed_tokens.weight"}) {
    const auto found = weights.find(name);
    ASSERT_TRUE(found) << name;
    EXPECT_EQ(floats_of(*found), kValues) << name;
  }
  const ModelFolder folder(dir.path());
  EXPECT_EQ(folder.description(), d);
  const NamedArray shared = folder.get("shared.weight", {4, 2});
  EXPECT_EQ(floats_of(shared), kValues);
}

TEST(ModelFolder, NamesAMissingConfig) {
  const TempDir dir;
  EXPECT_THAT(message_of<FormatError>([&] { ModelFolder{dir.path()}; }), HasSubstr("config.json"));
}

}  // namespace
}  // namespace yona
