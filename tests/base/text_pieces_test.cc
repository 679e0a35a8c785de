#include "yona/base/text_pieces.h"

#include <gtest/gtest.h>

namespace yona {
namespace {

TEST(TextPieces, GrowByPieces) {
  TextPieces text;
  EXPECT_TRUE(text.is_empty());
  std::string all;
  for (int i = 0; i < 40'000; ++i) {
    const std::string line = "line " + std::to_string(i) + "\n";
    text.append(line);
    all += line;
  }
  EXPECT_GT(text.pieces().size(), 4U);
  for (const std::string& piece : text.pieces()) {
    EXPECT_LT(piece.size(), TextPieces::kPieceBytes + 16);
  }
  EXPECT_EQ(text.bytes(), all.size());
  EXPECT_EQ(text.joined(), all);
  EXPECT_EQ(std::move(text).joined(), all);
}

TEST(TextPieces, LongTextsAreMoved) {
  std::string large(1 << 20, 'x');
  const char* const bytes = large.data();
  TextPieces inner(std::move(large));
  TextPieces text(std::string("["));
  text.add(std::move(inner));
  text.append("]");
  ASSERT_EQ(text.pieces().size(), 3U);  // the long one is full
  EXPECT_EQ(text.pieces()[1].data(), bytes);
  EXPECT_EQ(text.bytes(), (1U << 20U) + 2);
  EXPECT_EQ(text.joined().substr(0, 2), "[x");
}

TEST(TextPieces, ShortTextsJoinThePieceBefore) {
  TextPieces text;
  text.add(std::string());
  EXPECT_TRUE(text.pieces().empty());
  text.add(std::string("a"));
  text.append("b");
  text.add(TextPieces(std::string("c")));
  EXPECT_EQ(std::move(text).take(), (std::vector<std::string>{"abc"}));
}

}  // namespace
}  // namespace yona
