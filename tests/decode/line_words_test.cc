#include "yona/decode/line_words.h"

#include <gtest/gtest.h>

namespace yona {
namespace {

const Vocabulary& vocabulary() {
  static const Vocabulary pieces({"</s>", "<unk>", "▁a", "b", "<pad>"});
  return pieces;
}

// One word "ab" for each of the part's source words, each looking at the last of them.
SentenceTranslation part(std::size_t words) {
  SentenceTranslation part;
  for (std::size_t i = 0; i < words; ++i) {
    part.source.push_back(2);
    part.hypothesis.ids.insert(part.hypothesis.ids.end(), {2, 3});
    part.hypothesis.token_scores.insert(part.hypothesis.token_scores.end(), {-1.0F, -0.5F});
  }
  part.source.push_back(0);
  part.hypothesis.ids.push_back(0);
  part.hypothesis.token_scores.push_back(-4.0F);
  std::vector<float> row(words + 1, 0.0F);
  row[words - 1] = 1.0F;
  part.hypothesis.attention.assign(part.hypothesis.ids.size(), row);
  return part;
}

TEST(LineWords, ScoreThoseOfAllParts) {
  LineTranslation line;
  line.parts = {part(2), part(1)};
  EXPECT_EQ(line_word_scores(line, vocabulary()), (std::vector<double>{-1.5, -1.5, -1.5}));
  EXPECT_TRUE(line_word_scores({}, vocabulary()).empty());
}

TEST(LineWords, AreAlignedInsideTheirPart) {
  LineTranslation line;
  line.parts = {part(2), part(1)};
  EXPECT_EQ(line_alignment(line, vocabulary(), vocabulary()),
            (SoftAlignment{{0, 1, 0}, {0, 1, 0}, {0, 0, 1}}));
}

TEST(LineWords, AreNotAlignedWithoutAttention) {
  LineTranslation line;
  line.parts = {part(2), part(1)};
  line.parts[0].hypothesis.attention.clear();
  EXPECT_EQ(line_alignment(line, vocabulary(), vocabulary()), (SoftAlignment{{0, 0, 1}}));
  EXPECT_TRUE(line_alignment({}, vocabulary(), vocabulary()).empty());
}

TEST(TranslationOf, HasAllPartsInARow) {
  LineTranslation line{.text = "ab ab ab", .score = -2, .log_probability = -3};
  line.parts = {part(2), part(1)};
  const Translation all = translation_of(line, vocabulary(), vocabulary());
  EXPECT_EQ(all.text, "ab ab ab");
  EXPECT_EQ(all.score, -2);
  EXPECT_EQ(all.log_probability, -3);
  EXPECT_EQ(all.source_tokens, (std::vector<std::string>{"▁a", "▁a", "</s>", "▁a", "</s>"}));
  EXPECT_EQ(all.tokens,
            (std::vector<std::string>{"▁a", "b", "▁a", "b", "</s>", "▁a", "b", "</s>"}));
  EXPECT_EQ(all.token_scores.size(), all.tokens.size());
  EXPECT_EQ(all.word_scores, (std::vector<double>{-1.5, -1.5, -1.5}));
  EXPECT_EQ(all.alignment, (SoftAlignment{{0, 1, 0}, {0, 1, 0}, {0, 0, 1}}));
  EXPECT_EQ(all.links, (std::vector<std::pair<std::size_t, std::size_t>>{{1, 0}, {1, 1}, {2, 2}}));
}

}  // namespace
}  // namespace yona
