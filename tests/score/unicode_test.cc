#include "yona/score/unicode.h"

#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/temp_dir.h"
#include "tests/score/fixture.h"

namespace yona::testing {
namespace {

TEST(Unicode, LowersAndSplitsAsPythonDoes) {
  const Json fixture = score_fixture("tokenizers");
  for (std::size_t i = 0; i < fixture["lines"].size(); ++i) {
    const std::u32string line = to_code_points(fixture["lines"][i].get<std::string>());
    EXPECT_EQ(to_utf8(to_lower(line)), fixture["lower"][i].get<std::string>());
    std::vector<std::string> words;
    for (const std::u32string_view word : split(line)) {
      words.push_back(to_utf8(word));
    }
    EXPECT_EQ(words, fixture["split"][i].get<std::vector<std::string>>());
  }
}

TEST(Unicode, GoesToUtf8AndBack) {
  const std::string text = "aß€😀\x7f";
  EXPECT_EQ(to_code_points(text), U"aß€😀\x7f");
  EXPECT_EQ(to_utf8(to_code_points(text)), text);
  EXPECT_EQ(to_code_points(std::string("\0", 1)), std::u32string(1, U'\0'));
}

TEST(Unicode, SaysWhereTextIsNotUtf8) {
  for (const std::string bad : {"ab\xff", "ab\xc3", "ab\xed\xa0\x80", "ab\xc0\x80"}) {
    EXPECT_EQ(message_of<FormatError>([&] { to_code_points(bad); }),
              "score: the text is not valid UTF-8 at byte 2");
  }
}

TEST(Unicode, StripsWhatPythonCallsSpace) {
  EXPECT_EQ(strip(U"\u3000\t a b\u00a0\x1c\n"), U"a b");
  EXPECT_EQ(strip_right(U" a "), U" a");
  EXPECT_EQ(strip(U" \u2028 "), U"");
  EXPECT_FALSE(is_space(U'\u200b'));
  EXPECT_FALSE(is_space(U'\ufeff'));
}

TEST(Unicode, LowersTheSigmaAtAWordsEndAndTheDottedI) {
  EXPECT_EQ(to_lower(U"ΣΟΦΟΣ Σ"), U"σοφος σ");
  EXPECT_EQ(to_lower(U"İ"), U"i\u0307");
  EXPECT_EQ(to_lower(U"ABC xyz"), U"abc xyz");
}

TEST(Unicode, KnowsTheClassesOfCharacters) {
  EXPECT_TRUE(is_number(U'٣') && is_number(U'½') && is_number(U'Ⅳ') && !is_number(U'a'));
  EXPECT_TRUE(is_punctuation(U'。') && is_punctuation(U'-') && !is_punctuation(U'+'));
  EXPECT_TRUE(is_symbol(U'+') && is_symbol(U'€') && is_symbol(U'😀') && !is_symbol(U'-'));
}

}  // namespace
}  // namespace yona::testing
