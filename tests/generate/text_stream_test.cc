#include "yona/generate/text_stream.h"

#include <gtest/gtest.h>

#include "yona/base/random.h"

namespace yona {
namespace {

TEST(TextStream, GivesTextAtOnceWhereNothingCanChangeIt) {
  TextStream stream({});
  EXPECT_EQ(stream.push("ab"), "ab");
  EXPECT_EQ(stream.push(""), "");
  EXPECT_EQ(stream.push("c"), "c");
  EXPECT_EQ(stream.finish(), "");
  EXPECT_FALSE(stream.is_stopped());
}

TEST(TextStream, HoldsTheBeginningOfACharacterBack) {
  TextStream stream({});
  EXPECT_EQ(stream.push("x\xE2\x82"), "x");
  EXPECT_EQ(stream.push("\xAC"), "\xE2\x82\xAC");
  EXPECT_EQ(stream.push("\xF0\x9F\x98"), "");
  EXPECT_EQ(stream.push("a"),
            "\xEF\xBF\xBD"
            "a");
  EXPECT_EQ(stream.push("\xC3"), "");
  EXPECT_EQ(stream.finish(), "\xEF\xBF\xBD");
  EXPECT_EQ(stream.push("\x80\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST(TextStream, EndsBeforeAStopStringAlsoAcrossTokens) {
  TextStream stream({"\n\n", "END"});
  EXPECT_EQ(stream.push("one\n"), "one");
  EXPECT_EQ(stream.push("two E"), "\ntwo ");
  EXPECT_EQ(stream.push("N"), "");
  EXPECT_EQ(stream.push("T EN"), "ENT ");
  EXPECT_EQ(stream.push("D more"), "");
  EXPECT_TRUE(stream.is_stopped());
  EXPECT_EQ(stream.push("more"), "");
  EXPECT_EQ(stream.finish(), "");
}

TEST(TextStream, TakesTheStopStringThatComesFirst) {
  TextStream stream({"cd", "b", ""});
  EXPECT_EQ(stream.push("abcd"), "a");
  EXPECT_TRUE(stream.is_stopped());
}

TEST(TextStream, HoldsBackTheLongestBeginningOfAnyStopString) {
  TextStream stream({"aab", "abc"});
  EXPECT_EQ(stream.push("aa"), "");
  EXPECT_EQ(stream.push("a"), "a");
  EXPECT_EQ(stream.push("b"), "");  // aab
  EXPECT_TRUE(stream.is_stopped());
}

// However a text is cut into tokens, the pieces are the text up to the first stop string.
TEST(TextStream, PiecesDoNotDependOnTheCuts) {
  const std::string text =
      "ab\xC3\xA4"
      "abab\xE2\x82\xAC"
      "aba\xF0\x9F\x98\x80STOPrest";
  const std::string expected = text.substr(0, text.find("STOP"));
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    RandomSequence random(seed);
    TextStream stream({"STOP", "abaX"});
    std::string pieces;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t length = 1 + random.below(5);
      pieces += stream.push(std::string_view(text).substr(at, length));
      at += length;
    }
    EXPECT_TRUE(stream.is_stopped());
    EXPECT_EQ(pieces + stream.finish(), expected);
  }
}

}  // namespace
}  // namespace yona
