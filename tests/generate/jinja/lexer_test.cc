#include "yona/generate/jinja/lexer.h"

#include <gtest/gtest.h>

#include "yona/generate/jinja/value.h"

namespace yona::jinja {
namespace {

std::string data_of(std::string_view source) {
  std::string text;
  for (const Token& token : tokens_of(source)) {
    text += token.kind == Token::Kind::data ? token.text : "";
  }
  return text;
}

TEST(JinjaLexer, WhiteSpaceAroundBlocksIsDroppedAsJinja2Does) {
  EXPECT_EQ(data_of("a\n  {% x %}\nb"), "a\nb");
  EXPECT_EQ(data_of("a\n  {{ x }}\nb"), "a\n  \nb");
  EXPECT_EQ(data_of("a  {% x %}  \nb"), "a    \nb");
  EXPECT_EQ(data_of("a \n {%- x -%} \n b"), "ab");
  EXPECT_EQ(data_of("  {%+ x +%}\nb"), "  \nb");
  EXPECT_EQ(data_of("  {# x #}\nb\n"), "b");
  EXPECT_EQ(data_of("a\r\nb\n\n"), "a\nb\n");
  EXPECT_EQ(data_of("{% raw %}{{ x }}{% endraw %}"), "{{ x }}");
}

TEST(JinjaLexer, BracesWithinATagDoNotEndIt) {
  const std::vector<Token> tokens = tokens_of("{{ {'a': {'b': 1}} }}");
  EXPECT_EQ(tokens[tokens.size() - 2].kind, Token::Kind::variable_end);
}

TEST(JinjaLexer, EscapesOfStringsAreResolved) {
  EXPECT_EQ(tokens_of(R"({{ 'a\n\'\u00e9\x41\\\q' }})")[1].text, "a\n'éA\\\\q");
}

TEST(JinjaLexer, MistakesNameTheLine) {
  for (const char* source :
       {"\n{{ x", "\n{% x", "\n{# x", "\n{{ 'x }}", "\n{{ ? }}", "\n{{ 12345678901234567890 }}",
        "\n{{ 1x }}", "\n{% raw %}", "\n{{ '\\u12' }}"}) {
    try {
      tokens_of(source);
      ADD_FAILURE() << source;
    } catch (const TemplateError& error) {
      EXPECT_NE(std::string(error.what()).find("line 2"), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace yona::jinja
