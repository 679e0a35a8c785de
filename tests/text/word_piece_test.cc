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
  const WordPiece short_words({"[UNK]", "a", "##b"}, {}, "[UNK]", "v", 3);
  EXPECT_THAT(ids_of(short_words, "abb abbb"), ElementsAre(1, 2, 2, 0));
}

// Longer pieces than the vocabulary's longest are not tried.
TEST(WordPiece, AVeryLongWordTakesTimeThatGrowsWithItsLength) {
  const WordPiece pieces({"[UNK]", "a", "##a"}, {}, "[UNK]", "v", 1 << 30);
  EXPECT_THAT(ids_of(pieces, std::string(300'000, 'a')), ::testing::SizeIs(300'000));
}

// The tables of tokenizers 0.23.3 end there: what is later is neither punctuation, nor dropped, nor
// an accent.
TEST(WordPiece, CharactersHaveTheCategoriesOfUnicode8) {
  EXPECT_THAT(bert_words("a\u2E41b\u2E42"), ElementsAre("a", "\u2E41", "b", "\u2E42"));
  EXPECT_THAT(bert_words("a\u2E43b\u166Dc"), ElementsAre("a\u2E43b", "\u166D", "c"));
  EXPECT_EQ(bert_normalised("a\u08E3\u08D4\u200D\U0001DA75\u0890\U0001F9FF", {}),
            "a\u08D4\u0890\U0001F9FF");
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
