#include "yona/generate/json_grammar.h"

#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/generate/grammar_match.h"

namespace yona {
namespace {

Grammar finished(Grammar grammar, Grammar::Node last) {
  grammar.link(last, grammar.end(grammar.root()));
  grammar.finish("test");
  return grammar;
}

TEST(JsonGrammar, AnObjectHasAnyJsonInside) {
  GrammarMachine machine(json_object_grammar());
  for (const char* text :
       {"{}", "{ }", R"({"a":1})", R"({"a": [1, 2.5e-3, "x\n\u00e9", null], "b": {"c": true}})",
        "{\n  \"a\": {\n    \"b\": []\n  }\n}", R"({"é":"\ud83d\ude00"})"}) {
    EXPECT_TRUE(matches(machine, text)) << text;
    EXPECT_TRUE(Json::accept(text)) << text;
  }
  for (const char* text : {"", "[]", "{", R"({"a"})", R"({"a":1,})", R"({"a":01})", R"({"a":.5})",
                           "{\"a\":\"\n\"}", R"({"a":"\x"})", R"({"a":"\ud83d"})", "{}}"}) {
    EXPECT_FALSE(matches(machine, text)) << text;
    EXPECT_FALSE(Json::accept(text) && std::string(text) != "[]") << text;
  }
}

TEST(JsonGrammar, ALiteralIsWrittenWithOptionalSpace) {
  Grammar grammar;
  JsonRules rules(grammar);
  const Json value = Json::parse(R"({"a":[1,"x\"y",null]})");
  const Grammar::Node last = rules.append_literal(grammar.start(grammar.root()), value);
  GrammarMachine machine(finished(grammar, last));
  EXPECT_TRUE(matches(machine, value.dump()));
  EXPECT_TRUE(matches(machine, value.dump(2)));
  EXPECT_FALSE(matches(machine, R"({"a":[1,"x\"y",true]})"));
}

TEST(JsonGrammar, ALiteralThatIsNestedTooDeepIsRefused) {
  Grammar grammar;
  JsonRules rules(grammar);
  const Json deep = Json::parse(std::string(1000, '[') + std::string(1000, ']'));
  EXPECT_THROW(rules.append_literal(grammar.start(grammar.root()), deep), InvalidArgument);
}

TEST(JsonGrammar, CharactersOfAStringAreEscapedWhereTheyMustBe) {
  Grammar grammar;
  const Grammar::Node last =
      JsonRules::append_in_string(grammar, grammar.start(grammar.root()), CharacterSet::all());
  GrammarMachine machine(finished(grammar, last));
  for (const char* text : {"a", "é", "😀", "\\\"", "\\\\", "\\n", "\\u0001", "/"}) {
    EXPECT_TRUE(matches(machine, text)) << text;
  }
  for (const char* text : {"\"", "\\", "\n", "\\u0041", ""}) {
    EXPECT_FALSE(matches(machine, text)) << text;
  }
}

}  // namespace
}  // namespace yona
