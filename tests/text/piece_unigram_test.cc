#include "yona/text/piece_unigram.h"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace yona {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Scores = std::vector<std::pair<std::string, double>>;

// Cuts `text`, without U+2581, by pieces with these scores.
std::vector<std::string> unigram_pieces_of(const Scores& scores, std::string_view text,
                                           PieceTextOptions options = {
                                               .prefix = WordPrefix::never}) {
  std::vector<std::string> pieces = {"</s>", "<unk>", "<pad>"};
  std::vector<UnigramPiece> scored;
  double lowest = 0;
  for (const auto& [piece, score] : scores) {
    scored.push_back({static_cast<std::int32_t>(pieces.size()), score});
    pieces.push_back(piece);
    lowest = std::min(lowest, score);
  }
  const auto vocabulary = std::make_shared<const Vocabulary>(pieces);
  std::vector<std::int32_t> ids;
  PieceUnigram(vocabulary, scored, lowest - 10, std::move(options)).encode(text, ids);
  std::vector<std::string> found;
  for (const std::int32_t id : ids) {
    found.push_back(vocabulary->piece(id));
  }
  return found;
}

TEST(PieceUnigram, TakesTheBestSegmentation) {
  const Scores scores = {{"a", -1}, {"b", -1}, {"c", -1}, {"ab", -1.5}, {"bc", -1.4}, {"abc", -4}};
  EXPECT_THAT(unigram_pieces_of(scores, "abc"), ElementsAre("a", "bc"));
  EXPECT_THAT(unigram_pieces_of(scores, "abab"), ElementsAre("ab", "ab"));
  EXPECT_THAT(unigram_pieces_of(scores, ""), IsEmpty());
  EXPECT_THAT(unigram_pieces_of({}, "ab"), ElementsAre("<unk>"));
}

// Which of several segmentations that are equally good: the one whose last piece is the longest,
// and so on towards the front, as tokenizers has it.
TEST(PieceUnigram, OfEqualSegmentationsTakesTheLongestLastPiece) {
  EXPECT_THAT(unigram_pieces_of({{".", -5.5}, {"..", -7.25}}, "..."), ElementsAre(".", ".."));
  EXPECT_THAT(unigram_pieces_of({{".", -1}, {"..", -2}, {"...", -3}}, "...."),
              ElementsAre(".", "..."));
  EXPECT_THAT(unigram_pieces_of({{"a", -1}, {"aa", -1}}, "aaaaa"), ElementsAre("a", "aa", "aa"));
  EXPECT_THAT(unigram_pieces_of({{"a", -1}, {"b", -1}, {"c", -1}, {"ab", -1}, {"bc", -1}}, "abc"),
              ElementsAre("a", "bc"));
  EXPECT_THAT(unigram_pieces_of({{"a", -1}, {"b", -2}, {"ab", -3}}, "abab"),
              ElementsAre("ab", "ab"));
  EXPECT_THAT(unigram_pieces_of({{"a", 0}, {"aa", 0}, {"aaa", 0}}, "aaaa"),
              ElementsAre("a", "aaa"));
}

// These scores are equal in single precision, or their sums are, as SentencePiece has them: f32
// takes ".. ." of the first, and does not tell the pieces of the second apart.
TEST(PieceUnigram, AddsScoresInDoublePrecision) {
  EXPECT_THAT(
      unigram_pieces_of(
          {{"s", -5.1F}, {".", -5.292610168457031}, {"..", -7.160411834716797}, {"b", -3.3F}},
          "bs..."),
      ElementsAre("b", "s", ".", ".."));
  EXPECT_THAT(unigram_pieces_of({{"a", -1}, {"b", -1}, {"ab", -2 - 1e-12}}, "ab"),
              ElementsAre("a", "b"));
  EXPECT_THAT(unigram_pieces_of({{"a", -1}, {"b", -1}, {"ab", -2 + 1e-12}}, "ab"),
              ElementsAre("ab"));
  EXPECT_THAT(unigram_pieces_of({{"a", -0.1}, {"b", -0.2}, {"ab", -0.3}}, "ab"),
              ElementsAre("ab"));  // 0.1 + 0.2 > 0.3
}

TEST(PieceUnigram, FusesUnknownCharactersOrTakesTheirBytes) {
  const Scores scores = {{"a", -1}, {"<0xC3>", 0}, {"<0xA4>", 0}, {"<0xB6>", 0}};
  EXPECT_THAT(unigram_pieces_of(scores, "aäöa"), ElementsAre("a", "<unk>", "a"));
  const PieceTextOptions bytes{.prefix = WordPrefix::never, .byte_fallback = true};
  EXPECT_THAT(unigram_pieces_of(scores, "aäöa", bytes),
              ElementsAre("a", "<0xC3>", "<0xA4>", "<0xC3>", "<0xB6>", "a"));
  EXPECT_THAT(unigram_pieces_of(scores, "ä☃", bytes), ElementsAre("<unk>"));
}

TEST(PieceUnigram, NoTextIsASpecialPiece) {
  EXPECT_THAT(unigram_pieces_of({{"a", -1}, {"<s>", 5}}, "a<s>a</s>"),
              ElementsAre("a", "<unk>", "a", "<unk>"));
}

TEST(PieceUnigram, TakesTextThatIsNotUtf8) {
  EXPECT_THAT(unigram_pieces_of({{"a", -1}, {"é", -1}}, "a\xC3\xC3\xA9\xFF"),
              ElementsAre("a", "<unk>"));
}

}  // namespace
}  // namespace yona
