// The borders of table 3-7 of the Unicode standard.

#include "yona/text/utf8.h"

#include <string>

#include <gtest/gtest.h>

namespace yona {
namespace {

TEST(Utf8, AcceptsEveryLengthAtItsBorders) {
  for (const char* text :
       {"", "a", "\x7F", "\u0080", "\u07FF", "\u0800", "\uD7FF", "\uE000", "\uFFFF", "\U00010000",
        "\U0010FFFF", "\u2028", "漢字 and ASCII again"}) {
    EXPECT_TRUE(is_utf8(text)) << text;
  }
  EXPECT_TRUE(is_utf8(std::string_view("a\0b", 3)));
}

TEST(Utf8, RefusesOverlongFormsSurrogatesAndStrayBytes) {
  for (const char* text :
       {"\x80", "\xBF", "\xC0\x80", "\xC1\xBF", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xED\xBF\xBF",
        "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF", "\xFE", "\xC3",
        "\xE2\x82", "\xF0\x9F\x98", "\xC3(", "\xE2(\xA1", "\xE2\x82(", "latin-1: caf\xE9"}) {
    EXPECT_FALSE(is_utf8(text)) << text;
  }
}

TEST(Utf8, FindsABadByteAtEveryPositionOfALongText) {
  for (std::size_t at = 0; at < 40; ++at) {
    std::string text(40, 'x');
    EXPECT_TRUE(is_utf8(text));
    text[at] = '\xE9';
    EXPECT_FALSE(is_utf8(text)) << at;
  }
}

TEST(Utf8, GivesTheLengthOfTheFirstCharacter) {
  EXPECT_EQ(utf8_length("a"), 1U);
  EXPECT_EQ(utf8_length("é"), 2U);
  EXPECT_EQ(utf8_length("漢x"), 3U);
  EXPECT_EQ(utf8_length("😀"), 4U);
  EXPECT_EQ(utf8_length("\xE2"), 1U);
  EXPECT_EQ(utf8_length("\x80z"), 1U);
}

TEST(Utf8, RepairsWhatIsBrokenAndLeavesTheRest) {
  EXPECT_EQ(repaired_utf8("good é 漢 😀"), "good é 漢 😀");
  EXPECT_EQ(repaired_utf8("caf\xE9!"), "caf\uFFFD!");
  EXPECT_EQ(repaired_utf8("\xE2\x82"), "\uFFFD\uFFFD");
  EXPECT_EQ(repaired_utf8(std::string_view("a\0b", 3)), std::string("a\0b", 3));
  EXPECT_TRUE(is_utf8(repaired_utf8("\xED\xA0\x80\xF5\xFF")));
  EXPECT_EQ(repaired_utf8(""), "");
}

TEST(Utf8, ReplacesTheBeginningOfACharacterByOneMark) {
  EXPECT_EQ(lossy_utf8("good é 漢 😀"), "good é 漢 😀");
  EXPECT_EQ(lossy_utf8("\xE2\x82!"), "\uFFFD!");
  EXPECT_EQ(lossy_utf8("\xE2\x82\xE2\x82\xAC"), "\uFFFD€");
  EXPECT_EQ(lossy_utf8("\xF0\x9F\x98"), "\uFFFD");
  // table 3-8 of the Unicode standard, and its neighbours
  EXPECT_EQ(lossy_utf8("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41"),
            "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\x41");
  EXPECT_EQ(lossy_utf8("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41"), "\uFFFD\uFFFD\uFFFD\uFFFD\x41");
  EXPECT_EQ(lossy_utf8(""), "");
}

TEST(Utf8, GivesCharactersAndTheReplacementForWhatIsNone) {
  EXPECT_EQ(utf32_of("a\xC3\xA4\xE6\x99\x82\xF0\x9F\x8E\x88"), U"a\u00E4\u6642\U0001F388");
  EXPECT_EQ(utf32_of(""), U"");
  EXPECT_EQ(utf32_of("\xFFz"), U"\uFFFD");  // a byte that begins four takes what is there
  EXPECT_EQ(utf8_character("\xC3"), U'\uFFFD');
}

TEST(Utf8, KnowsEveryWhiteSpaceOfUnicode) {
  for (const char* text : {"", " ", "\t", " \t \v\f", "\u00A0", "\u3000\u2003", "\u2028"}) {
    EXPECT_TRUE(is_all_space(text)) << text;
  }
  for (const char* text : {"a", " a", "\t.", "\u200B", "\u3000\u4E00", "\xC2"}) {
    EXPECT_FALSE(is_all_space(text)) << text;
  }
  EXPECT_FALSE(is_all_space(std::string_view("\0", 1)));
}

}  // namespace
}  // namespace yona
