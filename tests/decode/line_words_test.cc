#include "yona/decode/line_words.h"

#include <gtest/gtest.h>

namespace yona {
namespace {

const Vocabulary& vocabulary() {
  static const Vocabulary pieces({"</s>", "<unk>", "▁a", "b", "<pad>"});
  return pieces;
}

// One word "ab" for each of the part's source words, each looking at the last of them.
Translation part(std::size_t words) {
  Translation part;
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

}  // namespace
}  // namespace yona
