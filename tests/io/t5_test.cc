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

Json t5_config() {
  return {{"model_type", "t5"}, {"d_model", 16},      {"num_layers", 3},   {"d_ff", 40},
          {"d_kv", 6},          {"num_heads", 4},     {"vocab_size", 120}, {"pad_token_id", 0},
          {"eos_token_id", 1},  {"dropout_rate", 0.1}};
}

TEST(T5, DepartsFromThePaperInManyWays) {
  const ModelDescription d = read_description(t5_config(), "f");
  EXPECT_EQ(d.config.departures.norm_kind, NormKind::rms);
  EXPECT_EQ(d.config.norm, NormPosition::pre);
  EXPECT_EQ(d.config.departures.norm_epsilon, 1e-6);
  EXPECT_EQ(d.config.positions, PositionKind::relative);
  EXPECT_EQ(d.config.departures.relative_buckets, 32);
  EXPECT_EQ(d.config.departures.relative_reach, 128);
  EXPECT_EQ(d.config.attention, AttentionKind::unscaled);
  EXPECT_FALSE(d.config.departures.biases);
  EXPECT_FALSE(d.config.departures.gated);
  EXPECT_FALSE(d.config.departures.scaled_embedding);
  EXPECT_TRUE(d.config.departures.scaled_output);
  EXPECT_EQ(d.config.d_k, 6);
  EXPECT_EQ(d.config.decoder_layers, 3);
  EXPECT_EQ(d.decoder_start(), 0);
}

TEST(T5, OfVersion11IsGatedAndDoesNotScale) {
  Json config = t5_config();
  config["feed_forward_proj"] = "gated-gelu";
  config["tie_word_embeddings"] = false;
  const ModelDescription d = read_description(config, "f");
  EXPECT_TRUE(d.config.departures.gated);
  EXPECT_EQ(d.config.activation, FeedForwardActivation::gelu_tanh);
  EXPECT_FALSE(d.config.departures.scaled_output);
  config["feed_forward_proj"] = "gated-silu";
  EXPECT_EQ(read_description(config, "f").config.activation, FeedForwardActivation::silu);
  config = t5_config();
  config["model_type"] = "mt5";
  EXPECT_FALSE(read_description(config, "f").config.departures.scaled_output);
}

TEST(T5, NamesAnActivationThatIsNotKnown) {
  Json config = t5_config();
  config["feed_forward_proj"] = "gated-tanh";
  EXPECT_THAT(message_of<FormatError>([&] { read_description(config, "f"); }),
              HasSubstr("feed_forward_proj 'tanh' is not supported"));
}

TEST(T5, HasNamesOfItsOwn) {
  EXPECT_THAT(huggingface_names("encoder.layers.2.feed_forward.inner.weight", t5_family()),
              ElementsAre("encoder.block.2.layer.1.DenseReluDense.wi.weight",
                          "encoder.block.2.layer.1.DenseReluDense.wi_0.weight"));
  EXPECT_THAT(huggingface_names("decoder.layers.0.cross_attention.output.weight", t5_family()),
              ElementsAre("decoder.block.0.layer.1.EncDecAttention.o.weight"));
  EXPECT_THAT(huggingface_names("decoder.relative_positions.weight", t5_family()),
              ElementsAre("decoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight"));
  EXPECT_THAT(huggingface_names("projection.bias", t5_family()), ::testing::IsEmpty());
}

}  // namespace
}  // namespace yona
