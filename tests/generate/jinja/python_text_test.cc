#include "yona/generate/jinja/python_text.h"

#include <gtest/gtest.h>

#include "yona/generate/jinja/value.h"

namespace yona::jinja {
namespace {

using Texts = std::vector<std::string>;

TEST(PythonText, StripsUnicodeSpaceOrTheGivenCharacters) {
  EXPECT_EQ(stripped("\u3000 a b\u00a0\n"), "a b");
  EXPECT_EQ(stripped("éxé", "é"), "x");
  EXPECT_EQ(stripped_left("  a "), "a ");
  EXPECT_EQ(stripped_right(" a  "), " a");
}

TEST(PythonText, SplitsAsPythonDoes) {
  EXPECT_EQ(split("a,b,,c", ",", -1), (Texts{"a", "b", "", "c"}));
  EXPECT_EQ(split("a,b,c", ",", 1), (Texts{"a", "b,c"}));
  EXPECT_EQ(split("  a  b c ", std::nullopt, -1), (Texts{"a", "b", "c"}));
  EXPECT_EQ(split(" a  b c ", std::nullopt, 1), (Texts{"a", "b c "}));
  EXPECT_EQ(split(" a ", std::nullopt, 0), (Texts{"a "}));
  EXPECT_EQ(split("", ",", -1), (Texts{""}));
  EXPECT_EQ(split("", std::nullopt, -1), (Texts{}));
  EXPECT_EQ(split_from_right("a-b-c", "-", 1), (Texts{"a-b", "c"}));
  EXPECT_EQ(split_from_right("a b  c ", std::nullopt, 1), (Texts{"a b", "c"}));
  EXPECT_EQ(split_from_right(" a b", std::nullopt, 1), (Texts{" a", "b"}));
  EXPECT_EQ(split_from_right(" a b", std::nullopt, 2), (Texts{"a", "b"}));
  EXPECT_EQ(split_from_right(" a ", std::nullopt, 0), (Texts{" a"}));
  EXPECT_EQ(split_from_right("aaa", "aa", -1), (Texts{"a", ""}));
  EXPECT_EQ(split_lines("a\nb\r\nc\n"), (Texts{"a", "b", "c"}));
}

TEST(PythonText, ReplacesAndChangesCase) {
  EXPECT_EQ(replaced("aXbXc", "X", "--", 1), "a--bXc");
  EXPECT_EQ(replaced("ab", "", "-", -1), "-a-b-");
  EXPECT_EQ(upper("straße é"), "STRASSE É");
  EXPECT_EQ(lower("ÀB"), "àb");
  EXPECT_EQ(title("hELLO wORLD's"), "Hello World'S");
  EXPECT_EQ(title_words("hELLO wORLD's tool_response a-b (c"),
            "Hello World's Tool_response A-B (C");
  EXPECT_EQ(capitalized("éCOLE X"), "École x");
}

TEST(PythonText, EscapesMarkup) {
  EXPECT_EQ(markup_escaped("é <&>\"'"), "é &lt;&amp;&gt;&#34;&#39;");
  EXPECT_THROW(markup_escaped(std::string(kMostText / 4, '&')), TemplateError);
}

TEST(PythonText, KnowsLettersAndDigitsOfUnicode) {
  EXPECT_TRUE(is_all("é日", is_letter));
  EXPECT_FALSE(is_all("a1", is_letter));
  EXPECT_FALSE(is_all("", is_letter));
  EXPECT_TRUE(is_all("1²٣", is_digit));
  EXPECT_FALSE(is_all("½", is_digit));
  EXPECT_TRUE(is_all("aé1½", is_letter_or_number));
  EXPECT_FALSE(is_all("a b", is_letter_or_number));
}

TEST(PythonText, WritesCharactersOfEveryLength) {
  std::string text;
  for (const char32_t c : {U'a', U'é', U'日', U'😀'}) {
    append_utf8(c, text);
  }
  EXPECT_EQ(text, "aé日😀");
  text.clear();
  append_utf8(0xD800, text);
  EXPECT_EQ(text, "\uFFFD");
}

}  // namespace
}  // namespace yona::jinja
