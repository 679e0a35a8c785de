#include "yona/generate/regex.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/generate/grammar_match.h"

namespace yona {
namespace {

std::string refusal_of(const std::string& pattern) {
  try {
    regex_grammar(pattern);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

struct RegexCase {
  const char* pattern;
  std::vector<std::string> yes, no;
};

TEST(Regex, MatchesWholeTexts) {
  const std::vector<RegexCase> cases{
      {"abc", {"abc"}, {"", "ab", "abcd", "xabc"}},
      {"", {""}, {"a"}},
      {"a|bc|", {"a", "bc", ""}, {"b", "abc"}},
      {"(?:ab)+c?", {"ab", "abab", "ababc"}, {"", "abc c", "aba"}},
      {"(?P<x>a)(?<y>b)(c)", {"abc"}, {"ab"}},
      {"a{3}", {"aaa"}, {"aa", "aaaa"}},
      {"a{2,}", {"aa", "aaaaaa"}, {"a"}},
      {"a{,2}", {"", "a", "aa"}, {"aaa"}},
      {"a{1,3}?b", {"ab", "aaab"}, {"b", "aaaab"}},
      {"a{x}", {"a{x}"}, {"ax"}},
      {".", {"x", "é", "😀"}, {"\n", "", "xy", "\xff"}},
      {"[^a-c]", {"d", "\n", "日"}, {"a", "c", "dd"}},
      {"[]x-]+", {"]", "x-", "-"}, {"y"}},
      {"[\\d_.-]+", {"1_2.3-"}, {"a"}},
      {"\\w\\s\\S\\D", {"a bx", "_\tzé"}, {"é bx", "a b1"}},
      {"\\.\\*\\\\\\/\\-", {".*\\/-"}, {".*\\\\/-"}},
      {"\\x41\\u00e9\\u{1F600}\\U0001F600\\t\\0", {std::string("Aé😀😀\t\0", 13)}, {"A"}},
      {"^a$|^b", {"a", "b"}, {"ab"}},
      {"[日本]{2}", {"日本", "本本"}, {"日", "日a"}},
      {"(a*)*b", {"b", "aaab"}, {"a"}},
      {"(|a)+", {"", "aa"}, {"b"}},
      {"[\\b]", {"\b"}, {"b"}},
  };
  for (const RegexCase& each : cases) {
    GrammarMachine machine(regex_grammar(each.pattern));
    for (const std::string& text : each.yes) {
      EXPECT_TRUE(matches(machine, text)) << each.pattern << " on " << text;
    }
    for (const std::string& text : each.no) {
      EXPECT_FALSE(matches(machine, text)) << each.pattern << " on " << text;
    }
  }
}

TEST(Regex, RefusesWhatItDoesNotSupportByName) {
  using ::testing::HasSubstr;
  const std::vector<std::pair<std::string, std::string>> cases{
      {"a(?=b)", "look-ahead"},
      {"a(?!b)", "look-ahead"},
      {"(?<=a)b", "look-behind"},
      {"(?<!a)b", "look-behind"},
      {"(a)\\1", "a back-reference"},
      {"(?P=x)", "a back-reference"},
      {"(?>a)", "an atomic group"},
      {"(?i)a", "a flag"},
      {"\\bword\\b", "a word boundary"},
      {"\\p{L}", "a Unicode property"},
      {"\\q", "the escape \\q"},
      {"\\Aa", "the anchors"},
      {"a++", "a possessive quantifier"},
      {"a**", "a quantifier after a quantifier"},
      {"a*{2}", "a quantifier after a quantifier"},
      {"*a", "a quantifier without what it repeats"},
      {"(a", "a '(' without ')'"},
      {"a)", "a ')' without '('"},
      {"[a", "a class without ']'"},
      {"[z-a]", "a range whose ends"},
      {"[\\d-z]", "a range whose ends"},
      {"[[:alpha:]]", "a named class"},
      {"a^b", "'^' other than at the start"},
      {"a$b", "'$' other than at the end"},
      {"(^a)", "'^' other than at the start"},
      {"a\\", "a backslash at the end"},
      {"\\x4", "hexadecimal digits"},
      {"\\uD800", "not a Unicode character"},
      {"\\u{110000}", "not a Unicode character"},
      {"a{3,2}", "a repetition whose bounds descend"},
      {"a{999999}", "a repetition of more than"},
      {std::string(300, '(') + std::string(300, ')'), "within more than 200 groups"}};
  for (const auto& [pattern, what] : cases) {
    EXPECT_THAT(refusal_of(pattern), HasSubstr(what)) << pattern;
    EXPECT_THAT(refusal_of(pattern), HasSubstr("is not supported")) << pattern;
  }
  EXPECT_THAT(refusal_of("\xff"), HasSubstr("it is not UTF-8"));
  EXPECT_THAT(refusal_of("((a{1000}){1000}){1000}"), HasSubstr("too large"));
  EXPECT_THAT(refusal_of("((){100000}){100000}"), HasSubstr("too large"));
  EXPECT_THAT(refusal_of("[^\\s\\S]"), HasSubstr("cannot be met"));
  EXPECT_THAT(refusal_of(std::string(100'001, 'a')), HasSubstr("at most 100000"));
}

TEST(Regex, ASearchHasAnyTextAroundTheMatchUnlessAnchored) {
  const auto matches_search = [](const std::string& pattern, const std::string& text) {
    Grammar grammar;
    grammar.link(append_regex(grammar, grammar.start(grammar.root()), pattern,
                              {.match = RegexOptions::Match::search}),
                 grammar.end(grammar.root()));
    grammar.finish("test");
    return matches(grammar, text);
  };
  EXPECT_TRUE(matches_search("b", "abc"));
  EXPECT_TRUE(matches_search("^b|c$", "bx"));
  EXPECT_TRUE(matches_search("^b|c$", "xc"));
  EXPECT_FALSE(matches_search("^b$", "bb"));
  EXPECT_FALSE(matches_search("^b", "ab"));
}

}  // namespace
}  // namespace yona
