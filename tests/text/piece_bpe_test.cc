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

std::vector<std::string> bpe_pieces_of(const PieceBpeOptions& options, std::string_view text) {
  std::vector<std::int32_t> ids;
  PieceBpe(kPieces, kPieceMerges, options, "test").encode(text, ids);
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
  EXPECT_THAT(bpe_pieces_of({.prefix = false}, "ab"), ElementsAre("ab"));
  EXPECT_THAT(bpe_pieces_of({.splits_at_whitespace = true}, " ab \t a\u00A0"),
              ElementsAre("▁ab", "▁a"));
}

TEST(PieceBpe, NormalisesFirst) {
  PieceBpeOptions options;
  options.normalisers.emplace_back([](std::string_view text) { return replaced(text, "x", "a"); });
  options.normalisers.emplace_back(
      [](std::string_view text) { return with_single_spaces(text, " "); });
  EXPECT_THAT(bpe_pieces_of(options, "x   xb"), ElementsAre("▁a", "▁ab"));
}

TEST(PieceBpe, FusesUnknownCharactersOrTakesTheirBytes) {
  EXPECT_THAT(bpe_pieces_of({}, "ö☃a"), ElementsAre("▁", "<unk>", "a"));
  EXPECT_THAT(bpe_pieces_of({.fuses_unknown = false}, "ö☃"), ElementsAre("▁", "<unk>", "<unk>"));
  EXPECT_THAT(bpe_pieces_of({.byte_fallback = true}, "ä☃"),
              ElementsAre("▁", "<0xC3>", "<0xA4>", "<unk>"));
}

TEST(PieceBpe, GivesTheTextBack) {
  const PieceBpe bpe(kPieces, kPieceMerges, {.byte_fallback = true}, "test");
  std::vector<std::int32_t> ids;
  bpe.encode("ab ä a", ids);
  EXPECT_EQ(bpe.decode(ids), "ab ä a");
  EXPECT_EQ(bpe.decode({}), "");
}

TEST(WithSingleSpaces, LeavesSingleOnes) {
  EXPECT_EQ(with_single_spaces(" a   b  ", "▁"), " a▁b▁");
  EXPECT_EQ(replaced("aaa", "aa", "b"), "ba");
  EXPECT_EQ(replaced("abc", "", "x"), "abc");
}

}  // namespace
}  // namespace yona
