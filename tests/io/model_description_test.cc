#include "yona/io/model_description.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/temp_dir.h"

namespace yona {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::yona::testing::message_of;

// Every field away from its default.
ModelDescription unusual() {
  ModelDescription d;
  d.encoder_layers = 0;
  d.decoder_layers = 3;
  d.d_model = 48;
  d.d_ff = 96;
  d.heads = 1;
  d.d_k = 512;
  d.d_v = 16;
  d.dropout = 0.1 + 0.2;
  d.attention_dropout = 1.0 / 3;
  d.activation_dropout = 0.05;
  d.activation = "gelu";
  d.positions = "learned";
  d.norm = "pre";
  d.attention = "additive";
  d.tying = "none";
  d.position_base = 500;
  d.scale_embedding = false;
  d.projection_bias = true;
  d.shared_vocabulary = false;
  d.source_vocab = 100;
  d.target_vocab = 90;
  d.max_positions = 77;
  d.eos_id = 2;
  d.unk_id = 3;
  d.pad_id = 0;
  d.decoder_start_id = 2;
  d.source_language = "en";
  d.target_language = "zh-Hant";
  return d;
}

std::string error_with(const char* key, const Json& value) {
  ModelDescription d;
  d.source_vocab = d.target_vocab = 100;
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
  d.target_vocab = 100;
  EXPECT_EQ(d.pad(), 99);
  EXPECT_EQ(d.decoder_start(), 99);
  EXPECT_EQ(unusual().pad(), 0);
  EXPECT_EQ(unusual().decoder_start(), 2);
}

TEST(ModelDescription, RefusesWhatNoModelCanHave) {
  EXPECT_THAT(error_with("d_model", 0), HasSubstr("d_model is 0; it must be at least 1"));
  EXPECT_THAT(error_with("d_model", "big"), HasSubstr("d_model cannot be \"big\""));
  EXPECT_THAT(error_with("d_model", 1e3), HasSubstr("d_model cannot be 1000.0"));
  EXPECT_THAT(error_with("d_model", 1LL << 40), HasSubstr("d_model cannot be"));
  EXPECT_THAT(error_with("encoder_layers", -1), HasSubstr("encoder_layers is -1"));
  EXPECT_THAT(error_with("dropout", 1.0), HasSubstr("dropout is 1"));
  EXPECT_THAT(error_with("position_base", 0), HasSubstr("position_base is 0"));
  EXPECT_THAT(error_with("scale_embedding", 1), HasSubstr("scale_embedding cannot be 1"));
  EXPECT_THAT(error_with("norm", "both"), HasSubstr("norm is 'both'; it must be one of post, pre"));
  EXPECT_THAT(error_with("eos_id", 100), HasSubstr("token id 100 is outside the vocabulary"));
  EXPECT_THAT(error_with("colour", "red"), HasSubstr("unknown key 'colour'"));
  EXPECT_THAT(message_of<FormatError>([] { description_from_json(Json::array(), "f"); }),
              HasSubstr("not an object"));
}

}  // namespace
}  // namespace yona
