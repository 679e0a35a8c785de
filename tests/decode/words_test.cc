#include "yona/decode/words.h"

#include <gtest/gtest.h>

namespace yona {
namespace {

const Vocabulary& farmers() {
  static const Vocabulary words({"</s>", "<unk>", "▁the", "▁far", "mer", "s", "▁", "<pad>"});
  return words;
}

TEST(Words, BeginWithABlankOrWithTheFirstPiece) {
  EXPECT_EQ(words_of(Ids{2, 3, 4, 5, 0}, farmers()), (std::vector<std::int64_t>{0, 1, 1, 1, -1}));
  EXPECT_EQ(words_of(Ids{4, 3, 6, 5}, farmers()), (std::vector<std::int64_t>{0, 1, 2, 2}));
  EXPECT_EQ(words_of(Ids{1, 7, 4}, farmers()), (std::vector<std::int64_t>{0, -1, 0}));
  EXPECT_TRUE(words_of({}, farmers()).empty());
}

TEST(Words, AreNotMadeOfBlanksAlone) {
  EXPECT_EQ(words_of(Ids{2, 6, 3, 4}, farmers()), (std::vector<std::int64_t>{0, 1, 1, 1}));
  EXPECT_EQ(words_of(Ids{6, 2, 6, 6, 5}, farmers()), (std::vector<std::int64_t>{0, 0, 1, 1, 1}));
  EXPECT_EQ(words_of(Ids{2, 6, 0}, farmers()), (std::vector<std::int64_t>{0, -1, -1}));
  EXPECT_EQ(words_of(Ids{6, 0}, farmers()), (std::vector<std::int64_t>{-1, -1}));
}

TEST(Words, AreCounted) {
  EXPECT_EQ(count_words(words_of(Ids{2, 3, 4, 0}, farmers())), 2U);
  EXPECT_EQ(count_words(words_of(Ids{0}, farmers())), 0U);
  EXPECT_EQ(count_words({}), 0U);
}

TEST(Words, ScoreTheSumOfTheirTokens) {
  Hypothesis hypothesis;
  hypothesis.ids = {2, 3, 4, 0};
  hypothesis.token_scores = {-1.0F, -0.5F, -0.25F, -4.0F};
  EXPECT_EQ(word_scores(hypothesis, farmers()), (std::vector<double>{-1.0, -0.75}));
  EXPECT_TRUE(word_scores({}, farmers()).empty());
}

}  // namespace
}  // namespace yona
