#include "yona/text/word_piece_training.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/temp_dir.h"

namespace yona {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

std::vector<std::string> trained(std::int64_t size) {
  WordCounts words({});
  words.add("low low low lower lower newest newest newest widest");
  return train_word_pieces(words, size);
}

TEST(WordPieceTraining, BeginsWithTheSpecialPieces) {
  const std::vector<std::string> pieces = trained(40);
  EXPECT_TRUE(
      std::equal(bert_special_pieces().begin(), bert_special_pieces().end(), pieces.begin()));
  EXPECT_THAT(pieces, Contains("low"));
  EXPECT_THAT(pieces, Contains("newest"));
}

TEST(WordPieceTraining, StopsAtTheSizeAndWhereNothingOccursTwice) {
  EXPECT_EQ(trained(25).size(), 25U);
  EXPECT_LT(trained(10000).size(), 60U);
  EXPECT_EQ(trained(30), trained(30));
}

TEST(WordPieceTraining, ASizeWithoutRoomIsRefused) {
  EXPECT_THAT(testing::message_of<InvalidArgument>([] { trained(5); }),
              HasSubstr("data.vocabulary_size: 5 pieces have no room"));
}

}  // namespace
}  // namespace yona
