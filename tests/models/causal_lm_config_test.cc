#include "yona/models/causal_lm_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

std::string refusal(const std::function<void(CausalLmConfig&)>& change) {
  CausalLmConfig config;
  config.vocabulary = 100;
  change(config);
  return message_of<InvalidArgument>([&] { check_config(config); });
}

TEST(CausalLmConfig, TakesItsPresets) {
  for (const std::string& name : causal_lm_preset_names()) {
    CausalLmConfig config = causal_lm_preset(name);
    config.vocabulary = 100;
    EXPECT_NO_THROW(check_config(config)) << name;
  }
}

TEST(CausalLmConfig, NamesThePresets) {
  EXPECT_EQ(message_of<InvalidArgument>([] { causal_lm_preset("gpt3"); }),
            "preset: 'gpt3' is not a language model; expected char, char-small, gpt2-small, "
            "gpt2-medium, gpt2-large, gpt2-xl or llama-tiny");
}

TEST(CausalLmConfig, RefusesWhatCannotBe) {
  EXPECT_EQ(refusal([](auto& config) { config.heads = 7; }),
            "model.heads: 7 heads do not divide model.d_model 768; give model.head_size");
  EXPECT_EQ(refusal([](auto& config) { config.kv_heads = 5; }),
            "model.kv_heads: 5 does not divide model.heads 12");
  EXPECT_EQ(refusal([](auto& config) {
              config.head_size = 7;
              config.positions = LmPositions::rotary;
            }),
            "model.head_size: rotary positions turn pairs of channels, and 7 is odd");
  EXPECT_EQ(refusal([](auto& config) {
              config.rotary_scaling = RotaryScaling::llama3;
              config.rotary_high = 1.0;
            }),
            "model.rotary_high: 1 is not above model.rotary_low 1");
  EXPECT_EQ(refusal([](auto& config) { config.start_id = 100; }),
            "model: the first token 100 is not below 100");
  EXPECT_EQ(refusal([](auto& config) { config.vocabulary = 0; }),
            "model: a vocabulary of 0 tokens");
}

TEST(CausalLmConfig, WritesEveryFieldSoThatItReadsBack) {
  CausalLmConfig config = causal_lm_preset("llama-tiny");
  config.vocabulary = 77;
  config.start_id = 3;
  config.attention_sizes.window = 5;
  config.qk_norm = true;
  config.rotary_scaling = RotaryScaling::llama3;
  CausalLmConfig read;
  for (const ConfigKey<CausalLmConfig>& field : causal_lm_fields()) {
    field.set(read, field.get(config), {field.name, "", ""});
  }
  EXPECT_EQ(read, config);
}

}  // namespace
}  // namespace yona::testing
