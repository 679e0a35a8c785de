#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/io/huggingface.h"
#include "yona/io/json_file.h"

#include "tests/harness/temp_dir.h"

namespace yona {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::yona::testing::message_of;
using ::yona::testing::read_bytes;
using ::yona::testing::TempDir;

ModelDescription tiny(NormPosition norm) {
  ModelDescription d;
  d.config.encoder_layers = 3;
  d.config.decoder_layers = 2;
  d.config.d_model = 128;
  d.config.d_ff = 256;
  d.config.heads = 4;
  d.config.d_k = d.config.d_v = 32;
  d.config.source_vocabulary = d.config.target_vocabulary = 1000;
  d.config.norm = norm;
  d.source_language = "en";
  d.target_language = "de";
  return d;
}

Json without_yona(Json config) {
  config.erase("yona");
  return config;
}

std::string error_of(const Json& config) {
  const std::string message =
      message_of<FormatError>([&] { read_description(config, "m/config.json"); });
  EXPECT_THAT(message, StartsWith("m/config.json: "));
  return message;
}

TEST(ChooseFamily, TakesPostNormToMarianAndPreNormToPegasus) {
  EXPECT_EQ(choose_family(tiny(NormPosition::post)).family, &marian_family());
  EXPECT_EQ(choose_family(tiny(NormPosition::pre)).family, &pegasus_family());
  EXPECT_EQ(choose_family(tiny(NormPosition::pre)).reason, "");
}

TEST(ChooseFamily, SaysWhyThereIsNone) {
  ModelDescription d = tiny(NormPosition::post);
  d.config.positions = PositionKind::learned;
  EXPECT_EQ(choose_family(d).family, nullptr);
  EXPECT_EQ(choose_family(d).reason,
            "positions are learned: transformers and CTranslate2 will not load this model; trained "
            "with model.positions=sinusoidal they would");
  d = tiny(NormPosition::pre);
  d.config.tying = Tying::none;
  d.config.d_k = 5;
  d.shared_vocabulary = false;
  EXPECT_THAT(choose_family(d).reason, HasSubstr("trained with model.d_k=auto model.d_v=auto "
                                                 "data.shared_vocabulary=true model.tying=all"));
}

TEST(HfConfig, HasTheKeysThatTransformersAndCTranslate2Read) {
  const Json config = huggingface_config(tiny(NormPosition::post));
  EXPECT_EQ(config["architectures"], Json({"MarianMTModel"}));
  EXPECT_EQ(config["model_type"], "marian");
  EXPECT_EQ(config["vocab_size"], 1000);
  EXPECT_EQ(config["decoder_vocab_size"], 1000);
  EXPECT_EQ(config["encoder_layers"], 3);
  EXPECT_EQ(config["decoder_layers"], 2);
  EXPECT_EQ(config["decoder_ffn_dim"], 256);
  EXPECT_EQ(config["encoder_attention_heads"], 4);
  EXPECT_EQ(config["activation_function"], "relu");
  EXPECT_EQ(config["pad_token_id"], 999);
  EXPECT_EQ(config["decoder_start_token_id"], 999);
  EXPECT_EQ(config["eos_token_id"], 0);
  EXPECT_EQ(config["scale_embedding"], true);
  EXPECT_EQ(config["static_position_embeddings"], true);
  EXPECT_EQ(config["normalize_before"], false);
  EXPECT_EQ(config["normalize_embedding"], false);
  EXPECT_EQ(huggingface_config(tiny(NormPosition::pre))["normalize_before"], true);
}

TEST(HfConfig, RoundTripsThroughTheYonaKeyEvenWithoutAFamily) {
  for (const NormPosition norm : {NormPosition::post, NormPosition::pre}) {
    EXPECT_EQ(read_description(huggingface_config(tiny(norm)), "f"), tiny(norm));
  }
  ModelDescription d = tiny(NormPosition::pre);
  d.config.attention = AttentionKind::additive;
  const Json config = huggingface_config(d);
  EXPECT_EQ(config["model_type"], "yona");
  EXPECT_EQ(config["architectures"], Json({"YonaTransformer"}));
  EXPECT_EQ(read_description(config, "f"), d);
}

TEST(HfConfig, ReadsFoldersThatOthersWrote) {
  for (const NormPosition norm : {NormPosition::post, NormPosition::pre}) {
    ModelDescription expected = tiny(norm);
    expected.source_language = expected.target_language = "";
    expected.pad_id = expected.config.departures.start_id = 999;
    expected.config.departures.projection_bias = true;
    expected.config.departures.padding = Padding::ordinary;
    expected.config.departures.norm_epsilon = 1e-5;  // PyTorch's default, not its f32
    expected.family = norm == NormPosition::post ? "marian" : "pegasus";
    EXPECT_EQ(read_description(without_yona(huggingface_config(tiny(norm))), "f"), expected);
  }
  Json opus = without_yona(huggingface_config(tiny(NormPosition::post)));
  opus["activation_function"] = "swish";
  EXPECT_EQ(read_description(opus, "f").config.activation, FeedForwardActivation::silu);
}

TEST(HfConfig, RefusesWhatItCannotRead) {
  const Json good = without_yona(huggingface_config(tiny(NormPosition::post)));
  const auto with = [&](const char* key, const Json& value) {
    Json config = good;
    config[key] = value;
    return error_of(config);
  };
  EXPECT_THAT(error_of(Json::array()), HasSubstr("not a JSON object"));
  EXPECT_THAT(error_of(Json::object()), HasSubstr("no \"model_type\""));
  EXPECT_THAT(with("model_type", "led"),
              HasSubstr("model_type 'led' is not supported; marian, pegasus, bart, mbart, m2m_100, "
                        "t5, mt5 are"));
  EXPECT_THAT(
      with("normalize_before", true),
      HasSubstr("\"normalize_before\" is true; of this model_type only false is supported"));
  EXPECT_THAT(with("eos_token_id", {0, 5}), HasSubstr("several tokens are not supported"));
  EXPECT_THAT(with("decoder_vocab_size", 900), HasSubstr("\"decoder_vocab_size\" 900 differ"));
  EXPECT_THAT(with("d_model", "x"), HasSubstr("\"d_model\" cannot be \"x\""));
  EXPECT_THAT(with("d_model", 1LL << 40), HasSubstr("\"d_model\" cannot be"));
  EXPECT_THAT(with("d_model", 1e300), HasSubstr("\"d_model\" cannot be 1e+300"));
  EXPECT_THAT(with("vocab_size", 18446744073709551615U), HasSubstr("\"vocab_size\" cannot be"));
  EXPECT_THAT(with("d_model", 130), HasSubstr("d_model 130 is not a multiple of 4 heads"));
  EXPECT_THAT(with("encoder_attention_heads", 0), HasSubstr("differ between"));
  EXPECT_THAT(with("decoder_ffn_dim", 5), HasSubstr("differ between encoder and decoder"));
  EXPECT_THAT(with("activation_function", "tanh"), HasSubstr("'tanh' is not supported"));
  EXPECT_THAT(with("dropout", nullptr), HasSubstr("\"dropout\" cannot be null"));
  EXPECT_THAT(with("pad_token_id", 1000), HasSubstr("outside the vocabulary"));
  EXPECT_THAT(with("yona", 5), HasSubstr("holds no version and model"));
  EXPECT_THAT(with("yona", {{"version", 99}, {"model", Json::object()}}),
              HasSubstr("written by a newer yona (format 99, this one knows 1)"));
}

TEST(HfConfig, NamesTheTokeniserThatReadsTheFolder) {
  EXPECT_EQ(tokenizer_config(tiny(NormPosition::post))["tokenizer_class"], "MarianTokenizer");
  EXPECT_EQ(tokenizer_config(tiny(NormPosition::post))["source_lang"], "en");
  EXPECT_EQ(tokenizer_config(tiny(NormPosition::pre))["tokenizer_class"],
            "PreTrainedTokenizerFast");
  EXPECT_EQ(tokenizer_config(tiny(NormPosition::pre))["pad_token"], "<pad>");
}

TEST(HfConfig, WritesFourFilesOfTheSameBytesEachTime) {
  const TempDir a;
  const TempDir b;
  write_model_configs(a.path(), tiny(NormPosition::post));
  write_model_configs(b.path(), tiny(NormPosition::post), {.beams = 4});
  for (const char* name : {"config.json", "generation_config.json", "tokenizer_config.json",
                           "special_tokens_map.json"}) {
    EXPECT_NE(read_bytes(a / name), "") << name;
    EXPECT_EQ(read_bytes(a / name), read_bytes(b / name)) << name;
  }
  EXPECT_EQ(read_json(a / "generation_config.json")["num_beams"], 4);
}

}  // namespace
}  // namespace yona
