#include "yona/inspect/words.h"

#include <gtest/gtest.h>

#include "tests/text/sample_text.h"

namespace yona::testing {
namespace {

WordTokens words(std::size_t count, const std::vector<std::int64_t>& word_of) {
  WordTokens tokens;
  tokens.word_of = word_of;
  tokens.ids.resize(word_of.size());
  tokens.words.resize(count);
  return tokens;
}

TEST(Words, SumOverSourcePiecesAndAverageOverTargetPieces) {
  // Source: word 0 has two pieces, then </s>. Target: one word of two pieces, then </s>.
  const std::vector<float> weights{0.5F,  0.25F,  0.25F,    // writing the first piece
                                   0.25F, 0.25F,  0.5F,     // the second
                                   0.0F,  0.125F, 0.875F};  // </s>
  const WordTokens source = words(1, {0, 0});
  const WordTokens target = words(1, {0, 0});
  EXPECT_EQ(word_attention(weights, source, target, AlignAt::writing),
            (std::vector<float>{0.625F}));
  EXPECT_EQ(word_attention(weights, source, target, AlignAt::reading),
            (std::vector<float>{0.3125F}));
}

TEST(Words, WithoutPiecesGetNothing) {
  const std::vector<float> weights{1.0F, 0.0F, 0.0F, 1.0F};
  EXPECT_EQ(word_attention(weights, words(2, {1}), words(2, {1}), AlignAt::writing),
            (std::vector<float>{0, 0, 0, 1}));
}

TEST(Words, AreEncodedOneByOneToTheIdsOfTheLine) {
  const Subword subword(sample_model(SubwordAlgorithm::bpe));
  const std::string line = "the old farmer überquert seventeen apples!";
  const WordTokens tokens = word_tokens(subword, "  the old farmer  überquert seventeen apples! ");
  std::vector<std::int32_t> ids;
  subword.encode(line, ids);
  EXPECT_EQ(tokens.ids, ids);
  EXPECT_EQ(tokens.words.size(), 6U);
  EXPECT_EQ(tokens.word_of.size(), ids.size());
  EXPECT_EQ(tokens.word_of.front(), 0);
  EXPECT_EQ(tokens.word_of.back(), 5);
  EXPECT_TRUE(word_tokens(subword, "  ").ids.empty());
}

}  // namespace
}  // namespace yona::testing
