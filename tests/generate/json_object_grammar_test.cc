#include "yona/generate/json_object_grammar.h"

#include <gtest/gtest.h>

#include "tests/generate/grammar_match.h"

namespace yona {
namespace {

using ::testing::Test;

struct JsonObjectGrammar : Test {
  Grammar grammar;
  JsonRules rules{grammar};

  GrammarMachine machine_of(Grammar::Node last) {
    grammar.link(last, grammar.end(grammar.root()));
    grammar.finish("test");
    return GrammarMachine(grammar);
  }
  Grammar::Node start() const { return grammar.start(grammar.root()); }
};

TEST_F(JsonObjectGrammar, OptionalPropertiesMayBeLeftOutInOrder) {
  GrammarMachine machine = machine_of(append_object(grammar, rules, start(),
                                                    {{{"a", rules.integer(), false},
                                                      {"b", rules.integer(), true},
                                                      {"c", rules.integer(), false}}}));
  for (const char* text : {R"({"b":1})", R"({"a":1,"b":2})", R"({"b":1, "c":2})",
                           R"({"a":1,"b":2,"c":3})", "{\n \"b\": 1\n}"}) {
    EXPECT_TRUE(matches(machine, text)) << text;
  }
  for (const char* text :
       {"{}", R"({"a":1})", R"({"b":1,"a":2})", R"({,"b":1})", R"({"b":1,})", R"({"b":1,"d":2})"}) {
    EXPECT_FALSE(matches(machine, text)) << text;
  }
}

TEST_F(JsonObjectGrammar, OtherPropertiesHaveOtherNames) {
  GrammarMachine machine = machine_of(append_object(
      grammar, rules, start(),
      {{{"ab", rules.integer(), false}, {"é", rules.integer(), false}}, rules.string()}));
  for (const char* text :
       {"{}", R"({"x":"1"})", R"({"ab":1,"a":"1","abc":"2","":"3"})", R"({"é":1,"éé":"x"})"}) {
    EXPECT_TRUE(matches(machine, text)) << text;
  }
  for (const char* text : {R"({"ab":"1"})", R"({"x":1})", R"({"é":"1"})", R"({"x":"1","ab":1})"}) {
    EXPECT_FALSE(matches(machine, text)) << text;
  }
}

TEST_F(JsonObjectGrammar, ArraysHaveBetweenLeastAndMostItems) {
  for (const auto& [least, most] :
       std::vector<std::pair<std::int64_t, std::optional<std::int64_t>>>{
           {0, {}}, {0, 0}, {0, 3}, {2, 2}, {1, {}}, {3, {}}, {2, 4}}) {
    Grammar own;
    JsonRules own_rules(own);
    const Grammar::Node last =
        append_array(own, own_rules, own.start(own.root()),
                     {.items = own_rules.integer(), .least = least, .most = most});
    own.link(last, own.end(own.root()));
    own.finish("test");
    GrammarMachine machine(own);
    std::string text = "[";
    for (std::int64_t count = 0; count < 6; ++count) {
      EXPECT_EQ(matches(machine, text + "]"), count >= least && count <= most.value_or(count))
          << text << " of " << least;
      text += (count == 0 ? "" : ",") + std::to_string(count);
    }
  }
}

TEST_F(JsonObjectGrammar, TheFirstItemsHaveTheirOwnValues) {
  GrammarMachine machine = machine_of(append_array(
      grammar, rules, start(), {.first = {rules.integer(), rules.string()}, .least = 1}));
  EXPECT_TRUE(matches(machine, "[1]"));
  EXPECT_TRUE(matches(machine, R"([1,"x"])"));
  EXPECT_FALSE(matches(machine, "[]"));
  EXPECT_FALSE(matches(machine, R"(["x"])"));
  EXPECT_FALSE(matches(machine, R"([1,"x",2])"));
}

}  // namespace
}  // namespace yona
