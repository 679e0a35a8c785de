#include "yona/text/piece_bpe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace yona {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const auto kPieces = std::make_shared<const Vocabulary>(std::vector<std::string>{
    "</s>", "<unk>", "<pad>", "▁", "a", "b", "▁a", "ab", "▁ab", "<0xC3>", "<0xA4>"});
const std::vector<BpeMerges::Pair> kPieceMerges = {{"▁", "a"}, {"a", "b"}, {"▁a", "b"}};

std::vector<std::string> bpe_pieces_of(const PieceTextOptions& options, std::string_view text,
                                       const PieceBpeOptions& bpe = {}) {
  std::vector<std::int32_t> ids;
  PieceBpe(kPieces, kPieceMerges, options, bpe, "test").encode(text, ids);
  std::vector<std::string> pieces;
  for (const std::int32_t id : ids) {
    pieces.push_back(kPieces->piece(id));
  }
  return pieces;
}

TEST(PieceBpe, CutsWordsAtSpaces) {
  EXPECT_THAT(bpe_pieces_of({}, "ab ab"), ElementsAre("▁ab", "▁ab"));
  EXPECT_THAT(bpe_pieces_of({}, "a  b"), ElementsAre("▁a", "▁", "▁", "b"));
  EXPECT_THAT(bpe_pieces_of({}, ""), IsEmpty());
  EXPECT_THAT(bpe_pieces_of({.prefix = WordPrefix::never}, "ab"), ElementsAre("ab"));
  EXPECT_THAT(bpe_pieces_of({.splits_at_whitespace = true}, " ab \t a\u00A0"),
              ElementsAre("▁ab", "▁a"));
}

TEST(PieceBpe, NormalisesFirst) {
  PieceTextOptions options;
  options.normalisers.emplace_back([](std::string_view text) { return replaced(text, "x", "a"); });
  options.normalisers.emplace_back(
      [](std::string_view text) { return with_single_spaces(text, " "); });
  EXPECT_THAT(bpe_pieces_of(options, "x   xb"), ElementsAre("▁a", "▁ab"));
}

TEST(PieceBpe, FusesUnknownCharactersOrTakesTheirBytes) {
  EXPECT_THAT(bpe_pieces_of({}, "ö☃a"), ElementsAre("▁", "<unk>", "a"));
  EXPECT_THAT(bpe_pieces_of({}, "ö☃", {.fuses_unknown = false}),
              ElementsAre("▁", "<unk>", "<unk>"));
  EXPECT_THAT(bpe_pieces_of({}, "aöb", {.drops_unknown = true}), ElementsAre("▁ab"));
  EXPECT_THAT(bpe_pieces_of({.byte_fallback = true}, "ä☃"),
              ElementsAre("▁", "<0xC3>", "<0xA4>", "<unk>"));
}

TEST(PieceBpe, GivesTheTextBack) {
  const PieceBpe bpe(kPieces, kPieceMerges, {.byte_fallback = true}, {}, "test");
  std::vector<std::int32_t> ids;
  bpe.encode("ab ä a", ids);
  EXPECT_EQ(bpe.decode(ids), "ab ä a");
  EXPECT_EQ(bpe.decode({}), "");
}

// Here the bytes come before the <unk> of a character in front of them, as in tokenizers.
TEST(PieceBpe, UnknownCharactersWaitForAKnownOne) {
  EXPECT_THAT(bpe_pieces_of({.byte_fallback = true}, "☃äa"),
              ElementsAre("▁", "<0xC3>", "<0xA4>", "<unk>", "a"));
}

TEST(PieceBpe, TakesWholeWordsWithoutMerging) {
  const auto pieces = std::make_shared<const Vocabulary>(
      std::vector<std::string>{"</s>", "<unk>", "<pad>", "▁", "a", "b", "ab", "▁bab", "▁b"});
  const auto ids = [&](const PieceBpeOptions& options, std::string_view text) {
    std::vector<std::int32_t> found;
    PieceBpe(pieces, {{"a", "b"}, {"▁", "b"}}, {}, options, "test").encode(text, found);
    return found;
  };
  EXPECT_THAT(ids({}, "bab"), ElementsAre(8, 6));
  EXPECT_THAT(ids({.takes_whole_words = true}, "bab"), ElementsAre(7));
  EXPECT_THAT(ids({.takes_whole_words = true}, "babb bab"), ElementsAre(8, 6, 5, 7));
}

TEST(PieceBpe, MarksPiecesInsideAndAtTheEndOfAWord) {
  const auto pieces = std::make_shared<const Vocabulary>(std::vector<std::string>{
      "</s>", "<unk>", "<pad>", "a", "##a", "aa", "##aa", "b</w>", "ab</w>", "##b</w>", "##b"});
  const auto ids = [&](const std::vector<BpeMerges::Pair>& merges, const PieceBpeOptions& options,
                       std::string_view text) {
    std::vector<std::int32_t> found;
    PieceBpe(pieces, merges, {.prefix = WordPrefix::never}, options, "test").encode(text, found);
    return found;
  };
  EXPECT_THAT(ids({{"##a", "##a"}, {"a", "##a"}}, {.continuation_mark = "##"}, "aaab"),
              ElementsAre(3, 6, 10));
  EXPECT_THAT(ids({{"a", "b</w>"}}, {.end_mark = "</w>"}, "aab"), ElementsAre(3, 8));
  EXPECT_THAT(ids({}, {.continuation_mark = "##", .end_mark = "</w>"}, "ab"), ElementsAre(3, 9));
}

}  // namespace
}  // namespace yona
