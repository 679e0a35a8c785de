#include "yona/text/encoder_tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/text/word_piece.h"

#include "tests/harness/temp_dir.h"

namespace yona {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

EncoderTokenizer small_tokenizer() {
  const std::vector<std::string> pieces{"[PAD]",  "[UNK]", "[CLS]", "[SEP]",
                                        "[MASK]", "a",     "b",     "##c"};
  SpecialTokens special;
  special.begin = 2;
  special.end = 3;
  special.mask = 4;
  special.unknown = 1;
  return {std::make_shared<const WordPiece>(pieces, BertNormalisation{}, "[UNK]", "v"),
          std::make_shared<const std::vector<std::string>>(pieces), special};
}

TEST(EncoderTokenizer, FramesOneTextAndTwo) {
  const EncodedText one = small_tokenizer().encode("a bc", std::nullopt, 10);
  EXPECT_THAT(one.ids, ElementsAre(2, 5, 6, 7, 3));
  const EncodedText two = small_tokenizer().encode("a", "b", 10);
  EXPECT_THAT(two.ids, ElementsAre(2, 5, 3, 6, 3));
  EXPECT_THAT(two.types, ElementsAre(0, 0, 0, 1, 1));
  EXPECT_FALSE(two.is_cut);
}

TEST(EncoderTokenizer, CutsTheLongerOfTwoFirst) {
  const EncodedText text = small_tokenizer().encode("a a a a", "b", 6);
  EXPECT_THAT(text.ids, ElementsAre(2, 5, 5, 3, 6, 3));
  EXPECT_TRUE(text.is_cut);
}

TEST(EncoderTokenizer, TakesAWrittenMaskAtItsWord) {
  EXPECT_THAT(small_tokenizer().encode("a [MASK] b", std::nullopt, 10).ids,
              ElementsAre(2, 5, 4, 6, 3));
}

// Ids without a piece have an empty one.
TEST(EncoderTokenizer, AnEmptySpecialPieceIsNotFound) {
  const std::vector<std::string> pieces{"", "[UNK]", "[CLS]", "[SEP]", "", "a", "b", "##c"};
  SpecialTokens special;
  special.begin = 2;
  special.end = 3;
  special.mask = 4;
  special.unknown = 1;
  special.pad = 0;
  const EncoderTokenizer tokenizer{
      std::make_shared<const WordPiece>(pieces, BertNormalisation{}, "[UNK]", "v"),
      std::make_shared<const std::vector<std::string>>(pieces), special};
  EXPECT_THAT(tokenizer.encode("a bc", std::nullopt, 10).ids, ElementsAre(2, 5, 6, 7, 3));
}

TEST(EncoderTokenizer, KnowsWhatGoesOnWithAWord) {
  EXPECT_TRUE(small_tokenizer().continues_word(7));
  EXPECT_FALSE(small_tokenizer().continues_word(6));
  EXPECT_FALSE(small_tokenizer().continues_word(4));
}

TEST(EncoderTokenizer, ALengthWithoutRoomIsRefused) {
  EXPECT_THAT(
      testing::message_of<InvalidArgument>([] { small_tokenizer().encode("a", std::nullopt, 2); }),
      HasSubstr("has no room besides 2 special ones"));
}

}  // namespace
}  // namespace yona
