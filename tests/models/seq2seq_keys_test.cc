#include "yona/models/seq2seq_keys.h"

#include <gtest/gtest.h>

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
