#include "yona/models/seq2seq_keys.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

#include "tests/harness/other_value.h"

namespace yona::testing {
namespace {

TEST(Seq2SeqKeys, FindsWhatAnArchitectureDoesNotRead) {
  const Seq2SeqConfig tiny = preset("tiny");
  Seq2SeqConfig config = tiny;
  config.arch = Arch::rnn;
  config.cell = Cell::gru;
  EXPECT_TRUE(unread_keys(config, tiny).empty());
  config.heads = 2;
  config.kernel_width = 5;
  EXPECT_EQ(unread_keys(config, tiny), (std::vector<std::string>{"kernel_width", "heads"}));
  config.arch = Arch::convs2s;
  EXPECT_EQ(unread_keys(config, tiny), (std::vector<std::string>{"cell", "heads"}));
  config.arch = Arch::bytenet;
  config.d_model = 32;  // which all read
  EXPECT_EQ(unread_keys(config, tiny), (std::vector<std::string>{"cell", "heads"}));
  config.arch = Arch::transformer;
  EXPECT_EQ(unread_keys(config, tiny), (std::vector<std::string>{"cell", "kernel_width"}));
}

// Every key of the Transformer is either shared by all architectures, or named where another one is
// trained: a new key is of the second kind unless it is among the first.
TEST(Seq2SeqKeys, WhatTheTransformerAloneReadsIsNamed) {
  Seq2SeqConfig config = preset("tiny");
  config.arch = Arch::rnn;
  std::set<std::string> shared;
  for (const ConfigKey<Seq2SeqConfig>& key : as_seq2seq(transformer_keys())) {
    Seq2SeqConfig changed = config;
    const std::string value = other_value(key, config);
    ASSERT_FALSE(value.empty()) << key.name;
    key.set(changed, ConfigNode::scalar(value), {key.name, "", ""});
    const std::vector<std::string> unread = unread_keys(changed, config);
    if (unread.empty()) {
      shared.insert(key.name);
    } else {
      EXPECT_EQ(unread, std::vector<std::string>{key.name});
    }
  }
  EXPECT_EQ(shared, (std::set<std::string>{"attention_dropout", "d_model", "decoder_layers",
                                           "dropout", "encoder_layers", "layers", "max_positions",
                                           "tying"}));  // the RNN has attention dropout, too
}

TEST(Seq2SeqKeys, KeepsTheTransformersKeys) {
  const ConfigKeys<TransformerConfig> transformer = transformer_keys();
  const ConfigKeys<Seq2SeqConfig> same = as_seq2seq(transformer);
  ASSERT_EQ(same.size(), transformer.size());
  Seq2SeqConfig config = preset("tiny");
  for (std::size_t i = 0; i < same.size(); ++i) {
    EXPECT_EQ(same[i].name, transformer[i].name);
    EXPECT_EQ(same[i].get(config), transformer[i].get(config));
  }
}

}  // namespace
}  // namespace yona::testing
