#include "yona/io/causal_lm/lm_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

Json llama_json() {
  return Json::parse(R"({"model_type": "llama", "vocab_size": 40, "hidden_size": 16,
    "intermediate_size": 24, "num_hidden_layers": 2, "num_attention_heads": 4,
    "max_position_embeddings": 64, "rms_norm_eps": 1e-5, "bos_token_id": 1})");
}

std::string refusal(const Json& json) {
  return message_of<FormatError>([&] { read_lm_config(json, "config.json"); });
}

TEST(LmConfig, ReadsWhatLlamaLeavesOut) {
  const CausalLmConfig config = read_lm_config(llama_json(), "config.json").config;
  EXPECT_EQ(config.kv_heads, 4);
  EXPECT_EQ(config.rotary_base, 10000.0);
  EXPECT_FALSE(config.tied);
  EXPECT_FALSE(config.qkv_biases);
  EXPECT_EQ(config.start_id, 1);
}

TEST(LmConfig, ReadsRotaryScalingInBothSpellings) {
  Json old = llama_json();
  old["rope_theta"] = 5e5;
  old["rope_scaling"] = {{"type", "linear"}, {"factor", 4.0}};
  const CausalLmConfig config = read_lm_config(old, "config.json").config;
  EXPECT_EQ(config.rotary_base, 5e5);
  EXPECT_EQ(config.rotary_scaling, RotaryScaling::linear);
  EXPECT_EQ(config.rotary_factor, 4.0);
  Json recent = llama_json();
  recent["rope_parameters"] = {{"rope_type", "linear"}, {"rope_theta", 5e5}, {"factor", 4.0}};
  EXPECT_EQ(read_lm_config(recent, "config.json").config, config);
}

TEST(LmConfig, NamesWhatIsNotSupported) {
  Json json = llama_json();
  json["rope_scaling"] = {{"rope_type", "longrope"}, {"factor", 4.0}};
  EXPECT_EQ(refusal(json),
            "config.json: the rotary scaling 'longrope' is not supported; default, linear, dynamic "
            "and llama3 are");
  json = llama_json();
  json["model_type"] = "gemma";
  EXPECT_THAT(refusal(json), ::testing::HasSubstr("model_type 'gemma' is not a language model"));
  json = llama_json();
  json["num_attention_heads"] = 5;
  EXPECT_THAT(refusal(json), ::testing::StartsWith("config.json: model.heads: 5 heads do not"));
  json = llama_json();
  json.erase("hidden_size");
  EXPECT_EQ(refusal(json), "config.json: no \"hidden_size\"");
  json = Json::parse(R"({"model_type": "gpt2", "vocab_size": 40, "n_embd": 16, "n_layer": 2,
    "n_head": 4, "scale_attn_by_inverse_layer_idx": true})");
  EXPECT_THAT(refusal(json), ::testing::HasSubstr("scale_attn_by_inverse_layer_idx"));
  json = llama_json();
  json["model_type"] = "qwen2";
  json["use_sliding_window"] = true;
  json["sliding_window"] = 8;
  json["max_window_layers"] = 1;
  EXPECT_THAT(refusal(json), ::testing::HasSubstr("different windows"));
}

TEST(LmConfig, OfYonaIsRefusedWhereAFieldIsNoNumber) {
  const Json json = Json::parse(
      R"({"model_type": "yona", "yona": {"version": 1, "model": {"layers": "2", "heads": "<"}}})");
  EXPECT_THAT(refusal(json), ::testing::StartsWith("config.json: heads: expected a whole number"));
}

TEST(LmConfig, HoldsOthersFilesToTheLimitsOfItsOwnFields) {
  Json json = llama_json();
  json["num_attention_heads"] = 0;
  EXPECT_THAT(refusal(json), ::testing::StartsWith("config.json: heads: expected"));
  json = llama_json();
  json["num_hidden_layers"] = 0;
  EXPECT_THAT(refusal(json), ::testing::StartsWith("config.json: layers: expected"));
  json = llama_json();
  json["rope_scaling"] = {{"rope_type", "llama3"},
                          {"factor", 4.0},
                          {"low_freq_factor", 0.0},
                          {"high_freq_factor", 4.0},
                          {"original_max_position_embeddings", 32}};
  EXPECT_THAT(refusal(json), ::testing::StartsWith("config.json: rotary_low: expected a number"));
}

TEST(LmConfig, WritesTheFamilyThatHoldsTheModel) {
  const auto family = [](const char* preset, const std::function<void(CausalLmConfig&)>& change) {
    CausalLmConfig config = causal_lm_preset(preset);
    config.vocabulary = 100;
    change(config);
    const Json json = lm_config(config, {.begin = 1, .end = 2});
    EXPECT_EQ(read_lm_config(json, "config.json").config, config);
    return json["model_type"].get<std::string>();
  };
  EXPECT_EQ(family("gpt2-small", [](auto&) {}), "gpt2");
  EXPECT_EQ(family("llama-tiny", [](auto&) {}), "llama");
  EXPECT_EQ(family("llama-tiny", [](auto& config) { config.attention_sizes.window = 9; }),
            "mistral");
  EXPECT_EQ(family("llama-tiny", [](auto& config) { config.qkv_biases = true; }), "qwen2");
  EXPECT_EQ(family("llama-tiny", [](auto& config) { config.qk_norm = true; }), "qwen3");
  EXPECT_EQ(family("gpt2-small", [](auto& config) { config.gated = true; }), "yona");
}

TEST(LmConfig, ReadsTheSameWithoutYonasPart) {
  for (const char* preset : {"gpt2-small", "llama-tiny"}) {
    CausalLmConfig config = causal_lm_preset(preset);
    config.vocabulary = 100;
    config.start_id = 1;
    Json json = lm_config(config, {});
    json.erase("yona");
    CausalLmConfig read = read_lm_config(json, "config.json").config;
    read.head_size = 0;  // written out on the hub
    for (const ConfigKey<CausalLmConfig>& field : causal_lm_fields()) {
      EXPECT_EQ(field.get(read).text, field.get(config).text) << preset << " " << field.name;
    }
    EXPECT_EQ(read, config) << preset;
  }
}

}  // namespace
}  // namespace yona::testing
