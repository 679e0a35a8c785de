#include "yona/text/word_piece.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/temp_dir.h"

namespace yona {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

WordPiece small(const BertNormalisation& normalisation = {}) {
  return {{"[UNK]", "un", "##aff", "##able", "a", "##b", ","}, normalisation, "[UNK]", "v"};
}

std::vector<std::int32_t> ids_of(const WordPiece& pieces, std::string_view text) {
  std::vector<std::int32_t> ids;
  pieces.encode(text, ids);
  return ids;
}

TEST(WordPiece, TakesTheLongestPieceEachTime) {
  EXPECT_THAT(ids_of(small(), "UNaffable, ab"), ElementsAre(1, 2, 3, 6, 4, 5));
}

TEST(WordPiece, AWordThatCannotBeCutIsOneUnknown) {
  EXPECT_THAT(ids_of(small(), "unaffx a"), ElementsAre(0, 4));
  EXPECT_THAT(ids_of(small(), "a" + std::string(100, 'b')), ElementsAre(0));
}

TEST(WordPiece, TextIsCleanedAndAccentsAreStripped) {
  EXPECT_EQ(bert_normalised("É\u200b\tÀ\u00a0中x", {}), "e a  中 x");
  BertNormalisation cased;
  cased.lower_case = cased.strip_accents = false;
  EXPECT_EQ(bert_normalised("É B", cased), "É B");
}

TEST(WordPiece, PunctuationStandsAlone) {
  EXPECT_THAT(bert_words("don't — stop."), ElementsAre("don", "'", "t", "—", "stop", "."));
  EXPECT_TRUE(bert_words("").empty());
}

TEST(WordPiece, DecodingJoinsTheParts) {
  const std::vector<std::int32_t> ids{1, 2, 3, 4};
  EXPECT_EQ(small().decode(ids), "unaffable a");
}

TEST(WordPiece, VocabularyWithoutTheUnknownPieceIsNamed) {
  EXPECT_THAT(testing::message_of<FormatError>([] { WordPiece({"a"}, {}, "[UNK]", "vocab.txt"); }),
              HasSubstr("vocab.txt: the vocabulary has no piece '[UNK]'"));
}

}  // namespace
}  // namespace yona
