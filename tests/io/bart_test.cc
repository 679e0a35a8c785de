#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/io/huggingface.h"

#include "tests/harness/temp_dir.h"

namespace yona {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::yona::testing::message_of;

Json bart_config(const std::string& type) {
  return {{"model_type", type},
          {"d_model", 16},
          {"encoder_layers", 2},
          {"decoder_layers", 1},
          {"encoder_ffn_dim", 32},
          {"decoder_ffn_dim", 32},
          {"vocab_size", 100},
          {"max_position_embeddings", 64},
          {"pad_token_id", 1},
          {"eos_token_id", 2},
          {"bos_token_id", 0},
          {"decoder_start_token_id", 2},
          {"encoder_attention_heads", 4},
          {"decoder_attention_heads", 4},
          {"activation_function", "gelu"}};
}

TEST(Bart, IsPostNormWithLearnedPositionsAndANormOfEmbeddings) {
  const ModelDescription d = read_description(bart_config("bart"), "f");
  EXPECT_EQ(d.config.norm, NormPosition::post);
  EXPECT_EQ(d.config.positions, PositionKind::learned);
  EXPECT_EQ(d.config.departures.first_position, 2);
  EXPECT_TRUE(d.config.departures.embedding_norm);
  EXPECT_FALSE(d.config.departures.scaled_embedding);
  EXPECT_EQ(d.decoder_start(), 2);
  EXPECT_EQ(d.config.departures.padding, Padding::ordinary);
  EXPECT_EQ(d.config.tying, Tying::all);
  EXPECT_EQ(d.family, "bart");
}

TEST(Bart, OfManyLanguagesIsPreNorm) {
  const ModelDescription d = read_description(bart_config("mbart"), "f");
  EXPECT_EQ(d.config.norm, NormPosition::pre);
  EXPECT_EQ(d.config.positions, PositionKind::learned);
}

TEST(Bart, BeginsWithBosWhereNothingElseIsSaid) {
  Json config = bart_config("bart");
  config.erase("decoder_start_token_id");
  EXPECT_EQ(read_description(config, "f").decoder_start(), 0);
}

TEST(Bart, NamesKeysThatContradictTheFamily) {
  Json config = bart_config("mbart");
  config["normalize_before"] = false;
  EXPECT_THAT(message_of<FormatError>([&] { read_description(config, "f"); }),
              HasSubstr("\"normalize_before\" is false"));
  config = bart_config("bart");
  config["static_position_embeddings"] = true;
  EXPECT_THAT(message_of<FormatError>([&] { read_description(config, "f"); }),
              HasSubstr("\"static_position_embeddings\" is true"));
}

TEST(Bart, NamesPositionsAndNormsOfEmbeddings) {
  EXPECT_THAT(huggingface_names("encoder.positions.weight", bart_family()),
              ElementsAre("model.encoder.embed_positions.weight"));
  EXPECT_THAT(huggingface_names("decoder.embedding_norm.bias", mbart_family()),
              ElementsAre("model.decoder.layernorm_embedding.bias"));
}

TEST(Bart, StaysBart) {
  const ModelDescription d = read_description(bart_config("bart"), "f");
  EXPECT_THAT(choose_family(d).reason, HasSubstr("it was read from a bart folder"));
}

TEST(Bart, LeavesTheBiasOnTheLogitsAsItIs) {
  ModelDescription d = read_description(bart_config("bart"), "f");
  EXPECT_THAT(constant_parameters(d), ElementsAre("projection.bias"));
  d.config.departures.projection_bias = false;
  EXPECT_TRUE(constant_parameters(d).empty());
  d.config.departures.projection_bias = true;
  d.family.clear();
  EXPECT_TRUE(constant_parameters(d).empty());
}

}  // namespace
}  // namespace yona
