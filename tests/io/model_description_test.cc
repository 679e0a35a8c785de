#include "yona/io/model_description.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/io/huggingface.h"
#include "yona/io/json_file.h"
#include "yona/io/translation_model.h"

#include "tests/harness/temp_dir.h"

namespace yona {
namespace {

namespace fs = std::filesystem;

using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::yona::testing::message_of;

// Every field away from its default.
ModelDescription unusual() {
  ModelDescription d;
  d.config.encoder_layers = 1;
  d.config.decoder_layers = 3;
  d.config.d_model = 48;
  d.config.d_ff = 96;
  d.config.heads = 1;
  d.config.d_k = 512;
  d.config.d_v = 16;
  d.config.dropout = 0.1 + 0.2;
  d.config.attention_dropout = 1.0 / 3;
  d.config.activation_dropout = 0.05;
  d.config.activation = FeedForwardActivation::gelu;
  d.config.positions = PositionKind::learned;
  d.config.norm = NormPosition::pre;
  d.config.attention = AttentionKind::additive;
  d.config.tying = Tying::none;
  d.config.position_base = 500;
  d.config.departures.scaled_embedding = false;
  d.config.departures.projection_bias = true;
  d.shared_vocabulary = false;
  d.config.source_vocabulary = 100;
  d.config.target_vocabulary = 90;
  d.config.max_positions = 77;
  d.eos_id = 2;
  d.unk_id = 3;
  d.pad_id = 0;
  d.config.departures.start_id = 2;
  d.source_language = "en";
  d.target_language = "zh-Hant";
  return d;
}

std::string error_with(const char* key, const Json& value) {
  ModelDescription d;
  d.config.source_vocabulary = d.config.target_vocabulary = 100;
  Json json = to_json(d);
  json[key] = value;
  const std::string message =
      message_of<FormatError>([&] { description_from_json(json, "config.json"); });
  EXPECT_THAT(message, StartsWith("config.json: "));
  return message;
}

TEST(ModelDescription, EveryFieldSurvivesJson) {
  EXPECT_EQ(description_from_json(Json::parse(to_json(unusual()).dump()), "x"), unusual());
}

TEST(ModelDescription, PaddingIsTheLastTargetIdAndTheFirstInputUnlessTold) {
  ModelDescription d;
  d.config.target_vocabulary = 100;
  EXPECT_EQ(d.pad(), 99);
  EXPECT_EQ(d.decoder_start(), 99);
  EXPECT_EQ(unusual().pad(), 0);
  EXPECT_EQ(unusual().decoder_start(), 2);
}

TEST(ModelDescription, RefusesWhatNoModelCanHave) {
  EXPECT_THAT(error_with("d_model", 0),
              HasSubstr("d_model: expected a whole number from 1 to 65536, got '0'"));
  EXPECT_THAT(error_with("d_model", "big"), HasSubstr("d_model: expected a whole number"));
  EXPECT_THAT(error_with("d_model", 1e3), HasSubstr("d_model cannot be 1000.0"));
  EXPECT_THAT(error_with("d_model", 1LL << 40), HasSubstr("d_model: expected a whole number"));
  EXPECT_THAT(error_with("encoder_layers", -1), HasSubstr("encoder_layers: expected"));
  EXPECT_THAT(error_with("dropout", 1.0), HasSubstr("dropout: expected"));
  EXPECT_THAT(error_with("position_base", 0), HasSubstr("position_base: expected"));
  EXPECT_THAT(error_with("scale_embedding", 1), HasSubstr("scale_embedding cannot be 1"));
  EXPECT_THAT(error_with("norm", "both"), HasSubstr("norm: expected post or pre, got 'both'"));
  EXPECT_THAT(error_with("eos_id", 100), HasSubstr("token id 100 is outside the vocabulary"));
  EXPECT_THAT(error_with("colour", "red"), HasSubstr("unknown key 'colour'"));
  EXPECT_THAT(message_of<FormatError>([] { description_from_json(Json::array(), "f"); }),
              HasSubstr("not an object"));
}

// tests/fixtures/descriptions.json holds a config.json of yona's own and the descriptions of
// published families, as version 0.1 wrote them: the values must stay the same.
Json fixture() { return read_json(fs::path(YONA_FIXTURES) / "descriptions.json"); }

// Without the order of the keys.
nlohmann::json content(const Json& json) { return nlohmann::json::parse(json.dump()); }

TEST(ModelDescription, AnOwnConfigIsReadAndWrittenUnchanged) {
  const Json config = fixture()["own"];
  const testing::TempDir folder;
  write_json(folder / "config.json", config);
  const ModelInfo info = read_model_info(folder.path());
  EXPECT_EQ(info.config.norm, NormPosition::pre);
  EXPECT_EQ(info.config.positions, PositionKind::learned);
  EXPECT_EQ(content(model_config(info)), content(config));
}

TEST(ModelDescription, FamiliesAreDescribedAsBefore) {
  const Json families = fixture()["families"];
  EXPECT_EQ(families.size(), 7U);
  for (const auto& [name, description] : families.items()) {
    const ModelInfo info = read_model_info(fs::path(YONA_FIXTURES) / "families" / name);
    EXPECT_EQ(content(huggingface_config(describe(info))["yona"]), content(description)) << name;
  }
}

TEST(ModelDescription, SizesThatMeanNothingAreKeptWhereTheyWereSet) {
  ModelDescription d;
  d.config.source_vocabulary = d.config.target_vocabulary = 100;
  EXPECT_FALSE(to_json(d).contains("projected_keys"));
  d.config.attention_sizes.projected_keys = 1;  // without linformer
  EXPECT_EQ(to_json(d)["projected_keys"], 1);
  EXPECT_EQ(description_from_json(to_json(d), "x").config.attention_sizes.projected_keys, 1);
}

TEST(ModelDescription, HeadSizesThatFollowFromTheWidthAreWrittenAsNumbers) {
  ModelDescription d;
  d.config.source_vocabulary = d.config.target_vocabulary = 100;
  const Json json = to_json(d);
  EXPECT_EQ(json["d_k"], 64);
  EXPECT_EQ(description_from_json(json, "x").config.head_shape().d_v, 64);
}

}  // namespace
}  // namespace yona
