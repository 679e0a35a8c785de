#include "yona/tasks/language_model/tokenizer_training.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/io/causal_lm/lm_tokenizer.h"

#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

class TokenizerTraining : public ::testing::Test {
 protected:
  TextTokenizer trained(const std::string& text, TokenKind kind, std::int64_t size = 0) {
    write_bytes(folder_ / "t.txt", text);
    LmDataConfig data;
    data.train = {folder_ / "t.txt"};
    data.tokens = kind;
    data.vocabulary_size = size;
    Reporter reporter;
    train_lm_tokenizer(data, 64, folder_.path(), reporter);
    return load_tokenizer(folder_.path(), tokenizer_size(folder_.path()));
  }

  TempDir folder_;
};

const std::string kMixedText = "Hello wörld!\n  Two  spaces\tand a tab, 中文 😀.\nHello again\n";

TEST_F(TokenizerTraining, CharactersAreTokensAndGiveTheTextBack) {
  const TextTokenizer tokenizer = trained(kMixedText, TokenKind::characters);
  EXPECT_EQ(tokenizer.decode(tokenizer.encode(kMixedText)), kMixedText);
  EXPECT_EQ(tokenizer.encode("wö中").size(), 3U);
  EXPECT_TRUE(tokenizer.is_special(tokenizer.end()));
  EXPECT_EQ(tokenizer.begin(), tokenizer.end());
}

TEST_F(TokenizerTraining, ACharacterThatIsNewIsUnknown) {
  const TextTokenizer tokenizer = trained("abc\n", TokenKind::characters);
  EXPECT_EQ(tokenizer.size(), 2 + 4);
  const auto ids = tokenizer.encode("axb");
  ASSERT_EQ(ids.size(), 3U);
  EXPECT_EQ(ids[1], tokenizer.find("<unk>"));
}

TEST_F(TokenizerTraining, BytesOfBpeGiveEveryTextBack) {
  const TextTokenizer tokenizer = trained(kMixedText, TokenKind::bpe, 280);
  EXPECT_LE(tokenizer.size(), 280);
  for (const std::string& text : {kMixedText, std::string("entirely new: ÿ ☃ \r\n\n x")}) {
    EXPECT_EQ(tokenizer.decode(tokenizer.encode(text)), text);
  }
  EXPECT_LT(tokenizer.encode("Hello").size(), 5U);
}

TEST_F(TokenizerTraining, SentencePieceGivesLinesBack) {
  std::string text;
  for (int i = 0; i < 50; ++i) {
    text += "the cat sees the dog and the tree\n";
  }
  const TextTokenizer tokenizer = trained(text, TokenKind::sentencepiece);
  const std::string line = "the dog sees a cat";
  EXPECT_EQ(tokenizer.decode(tokenizer.encode(line)), line);
  EXPECT_GE(tokenizer.end(), 0);
}

TEST_F(TokenizerTraining, TheMostFrequentWordsAreTokens) {
  const std::string text = "b b b a a c d\nb\n";
  const TextTokenizer all = trained(text, TokenKind::words);
  EXPECT_EQ(all.size(), 2 + 4);
  const TextTokenizer some = trained(text, TokenKind::words, 4);
  EXPECT_EQ(some.size(), 4);
  const auto ids = some.encode("a c b");
  ASSERT_EQ(ids.size(), 3U);
  EXPECT_EQ(ids[1], some.find("<unk>"));
  EXPECT_NE(ids[0], ids[2]);
  EXPECT_EQ(ids[2], 2);  // the most frequent comes first
}

TEST_F(TokenizerTraining, TheSameTextGivesTheSameFile) {
  for (const TokenKind kind :
       {TokenKind::bpe, TokenKind::sentencepiece, TokenKind::words, TokenKind::characters}) {
    trained(kMixedText, kind);
    const std::string first = read_bytes(folder_ / "tokenizer.json");
    trained(kMixedText, kind);
    EXPECT_EQ(read_bytes(folder_ / "tokenizer.json"), first);
  }
}

TEST_F(TokenizerTraining, WhatCannotBeIsRefused) {
  EXPECT_THAT(
      message_of<InvalidArgument>([&] { trained(kMixedText, TokenKind::bpe, 256); }),
      HasSubstr("data.vocabulary_size: byte-level BPE needs more than 256 tokens, not 256"));
  for (const TokenKind kind :
       {TokenKind::bpe, TokenKind::words, TokenKind::characters, TokenKind::sentencepiece}) {
    EXPECT_THAT(message_of<Error>([&] { trained("", kind); }),
                ContainsRegex("no text|no usable line"))
        << static_cast<int>(kind);
    EXPECT_THAT(message_of<FormatError>([&] { trained("a \xFF", kind); }),
                HasSubstr("is not UTF-8"));
  }
}

}  // namespace
}  // namespace yona::testing
