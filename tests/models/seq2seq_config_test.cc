#include "yona/models/seq2seq_config.h"

#include <gtest/gtest.h>

#include "tests/harness/temp_dir.h"
#include "tests/harness/toy_model.h"

namespace yona::testing {
namespace {

template <class Change>
std::string complaint(const Change& change) {
  Seq2SeqConfig config = toy_config();
  change(config);
  return message_of<InvalidArgument>([&] { make_seq2seq(config); });
}

TEST(Seq2SeqConfig, IsThePapersTransformerByDefault) {
  EXPECT_EQ(Seq2SeqConfig().arch, Arch::transformer);
  EXPECT_EQ(complaint([](Seq2SeqConfig&) {}), "");
}

TEST(Seq2SeqConfig, AsksForHeadsOnlyWhereThereAreAny) {
  EXPECT_EQ(complaint([](Seq2SeqConfig& c) {
              c.arch = Arch::rnn;
              c.heads = 3;
            }),
            "");
  EXPECT_EQ(complaint([](Seq2SeqConfig& c) { c.heads = 3; }),
            "model.heads: 3 heads do not divide model.d_model 8; set model.d_k and model.d_v");
}

TEST(Seq2SeqConfig, NamesTheKeyThatCannotBe) {
  EXPECT_EQ(complaint([](Seq2SeqConfig& c) {
              c.arch = Arch::rnn;
              c.d_model = 7;
            }),
            "model.d_model: 7 is odd; each direction of the encoder's rnn has half of it");
  EXPECT_EQ(complaint([](Seq2SeqConfig& c) {
              c.arch = Arch::bytenet;
              c.d_model = 7;
            }),
            "model.d_model: 7 is odd; bytenet's convolutions have half of it");
  EXPECT_EQ(complaint([](Seq2SeqConfig& c) {
              c.arch = Arch::convs2s;
              c.kernel_width = 4;
            }),
            "model.kernel_width: 4 is even; a token is in the middle of what the encoder's "
            "convolutions see");
  EXPECT_EQ(complaint([](Seq2SeqConfig& c) {
              c.arch = Arch::rnn;
              c.encoder_layers = 0;
            }),
            "model.encoder_layers: 0 is not between 1 and 1000");
}

TEST(Seq2SeqConfig, HasTheLongestSentenceOfItsInput) {
  Seq2SeqConfig config = toy_config();
  config.input_length = 5;
  EXPECT_EQ(longest_sentence(config), 16);
  config.arch = Arch::feed_forward;
  EXPECT_EQ(longest_sentence(config), 5);
  config.input_length = 20;
  EXPECT_EQ(longest_sentence(config), 16);
}

TEST(Seq2SeqConfig, HasOneHeadOfAWidthThatKernelsHave) {
  Seq2SeqConfig config = toy_config();
  EXPECT_EQ(one_wide_head(config).d_k, 8);
  config.d_model = 1024;
  EXPECT_EQ(one_wide_head(config).d_k, 512);
}

}  // namespace
}  // namespace yona::testing
