#include "yona/models/transformer_config.h"

#include <limits>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "tests/harness/temp_dir.h"
#include "tests/harness/toy_model.h"

namespace yona::testing {
namespace {

// What is said about toy_config() after a change; empty when it is accepted.
template <class Change>
std::string complaint(const Change& change) {
  TransformerConfig config = toy_config();
  change(config);
  const std::string said = message_of<InvalidArgument>([&] { check_config(config); });
  EXPECT_EQ(message_of<InvalidArgument>([&] { Transformer model(config); }), said);
  return said;
}

TEST(TransformerConfig, HasThePapersNumbersByDefault) {
  const TransformerConfig config;
  EXPECT_EQ(config.encoder_layers, 6);
  EXPECT_EQ(config.decoder_layers, 6);
  EXPECT_EQ(config.d_model, 512);
  EXPECT_EQ(config.d_ff, 2048);
  EXPECT_EQ(config.heads, 8);
  EXPECT_EQ(config.head_shape().d_k, 64);
  EXPECT_EQ(config.head_shape().d_v, 64);
  EXPECT_EQ(config.dropout, 0.1);
  EXPECT_EQ(config.norm, NormPosition::post);
  EXPECT_EQ(config.position_base, 10000.0);
  EXPECT_EQ(config.tying, Tying::all);
}

TEST(TransformerConfig, KnowsThePresets) {
  EXPECT_EQ(preset_names(), (std::vector<std::string>{"tiny", "iwslt", "base", "big"}));
  const auto expect_preset = [](std::string_view name, std::int64_t layers, std::int64_t d_model,
                                std::int64_t d_ff, std::int64_t heads, double dropout) {
    const TransformerConfig config = preset(name);
    EXPECT_EQ(config.encoder_layers, layers);
    EXPECT_EQ(config.decoder_layers, layers);
    EXPECT_EQ(config.d_model, d_model);
    EXPECT_EQ(config.d_ff, d_ff);
    EXPECT_EQ(config.heads, heads);
    EXPECT_EQ(config.dropout, dropout);
  };
  expect_preset("tiny", 4, 128, 256, 4, 0.3);
  expect_preset("iwslt", 6, 512, 1024, 4, 0.3);
  expect_preset("base", 6, 512, 2048, 8, 0.1);
  expect_preset("big", 6, 1024, 4096, 16, 0.3);
  EXPECT_EQ(message_of<InvalidArgument>([] { preset("huge"); }),
            "preset: 'huge' is unknown; use tiny, iwslt, base, big");
}

TEST(TransformerConfig, AcceptsFreeHeadSizes) {
  EXPECT_EQ(complaint([](TransformerConfig& /*config*/) {}), "");
  EXPECT_EQ(complaint([](TransformerConfig& config) {
              config.heads = 3;
              config.d_k = 5;
              config.d_v = 2;
            }),
            "");
}

TEST(TransformerConfig, RefusesHeadsThatDoNotDivide) {
  EXPECT_EQ(complaint([](TransformerConfig& config) { config.heads = 3; }),
            "model.heads: 3 heads do not divide model.d_model 8; set model.d_k and model.d_v");
  EXPECT_EQ(complaint([](TransformerConfig& config) {
              config.heads = 3;
              config.d_k = 2;
            }),
            "model.heads: 3 heads do not divide model.d_model 8; set model.d_v");
}

TEST(TransformerConfig, NamesSizesOutOfRange) {
  EXPECT_EQ(complaint([](TransformerConfig& c) { c.encoder_layers = 0; }),
            "model.encoder_layers: 0 is not between 1 and 1000");
  EXPECT_EQ(complaint([](TransformerConfig& c) { c.decoder_layers = 1001; }),
            "model.decoder_layers: 1001 is not between 1 and 1000");
  EXPECT_EQ(complaint([](TransformerConfig& c) { c.d_model = -8; }),
            "model.d_model: -8 is not between 1 and 65536");
  EXPECT_EQ(complaint([](TransformerConfig& c) { c.d_ff = 0; }),
            "model.d_ff: 0 is not between 1 and 1048576");
  EXPECT_EQ(complaint([](TransformerConfig& c) { c.heads = 0; }),
            "model.heads: 0 is not between 1 and 1024");
  EXPECT_EQ(complaint([](TransformerConfig& c) { c.d_k = 5000; }),
            "model.d_k: 5000 is not between 1 and 4096");
  EXPECT_EQ(complaint([](TransformerConfig& c) { c.d_v = 5000; }),
            "model.d_v: 5000 is not between 1 and 4096");
  EXPECT_EQ(complaint([](TransformerConfig& c) { c.d_k = -2; }),
            "model.d_k: -2 is negative; 0 takes d_model / heads");
  EXPECT_EQ(complaint([](TransformerConfig& c) { c.d_v = -2; }),
            "model.d_v: -2 is negative; 0 takes d_model / heads");
  EXPECT_EQ(complaint([](TransformerConfig& c) { c.max_positions = 0; }),
            "model.max_positions: 0 is not between 1 and 1048576");
}

TEST(TransformerConfig, NamesProbabilitiesThatAreNone) {
  EXPECT_EQ(complaint([](TransformerConfig& c) { c.dropout = 1.0; }),
            "model.dropout: 1 is not a probability in [0, 1)");
  EXPECT_EQ(complaint([](TransformerConfig& c) { c.attention_dropout = -0.1; }),
            "model.attention_dropout: -0.1 is not a probability in [0, 1)");
  EXPECT_EQ(complaint([](TransformerConfig& c) {
              c.activation_dropout = std::numeric_limits<double>::quiet_NaN();
            }),
            "model.activation_dropout: nan is not a probability in [0, 1)");
}

TEST(TransformerConfig, NamesPositionsAndVocabulariesThatCannotBe) {
  EXPECT_EQ(complaint([](TransformerConfig& c) { c.position_base = 1.0; }),
            "model.position_base: 1 is not above 1");
  EXPECT_EQ(complaint([](TransformerConfig& c) { c.source_vocabulary = 2; }),
            "source vocabulary: 2 is not between 3 and 16777216");
  EXPECT_EQ(complaint([](TransformerConfig& c) { c.target_vocabulary = 0; }),
            "target vocabulary: 0 is not between 3 and 16777216");
  EXPECT_EQ(complaint([](TransformerConfig& c) { c.source_vocabulary = 12; }),
            "model.tying: all embeddings cannot be one with vocabularies of 12 and 11 pieces; use "
            "target or none");
}

TEST(TransformerConfig, EveryFieldHasOneNameAndTheKeysOfARunAreAmongThem) {
  std::set<std::string> names;
  for (const auto& field : transformer_fields()) {
    EXPECT_TRUE(names.insert(field.name).second) << field.name;
    EXPECT_FALSE(field.meaning.empty()) << field.name;
  }
  for (const auto& key : transformer_keys()) {
    EXPECT_TRUE(names.contains(key.name)) << key.name;
  }
  EXPECT_FALSE(names.contains("constant_input"));  // follows from the family
}

}  // namespace
}  // namespace yona::testing
