#include "yona/generate/json_schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/base/random.h"
#include "yona/generate/text_constraint.h"

#include "tests/generate/grammar_match.h"
#include "tests/generate/schema_validator.h"

namespace yona {
namespace {

const std::vector<std::string>& schemas() {
  static const std::vector<std::string> texts{
      R"({"type":"object","properties":{"name":{"type":"string"},"age":{"type":"integer",
          "minimum":0,"maximum":130},"tags":{"type":"array","items":{"type":"string"},
          "maxItems":3}},"required":["name","age"],"additionalProperties":false})",
      R"({"type":"array","items":{"type":"number"},"minItems":2,"maxItems":5})",
      R"({"type":"string","minLength":2,"maxLength":6})",
      R"({"type":"string","minLength":3})",
      R"({"type":"string","pattern":"^[A-Z]{2}-[0-9]+$"})",
      R"({"type":"string","pattern":"a\"b|[\\\\]"})",
      R"({"type":"string","pattern":"^\\d{4}-\\d{2}$","format":"date","title":"when"})",
      R"({"enum":["red","green",3,null,{"a":[1,2]},"q\"uote"]})",
      R"({"type":"string","enum":["x",3]})",
      R"({"const":{"a":{"b":[true]}}})",
      R"({"type":["string","null","integer"]})",
      R"({"anyOf":[{"type":"integer"},{"type":"object","properties":{"x":{"type":"boolean"}},
          "required":["x"]}]})",
      R"({"oneOf":[{"type":"null"},{"type":"array","items":{"const":1}}]})",
      R"({"allOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"type":"boolean"}}})",
      R"({"$ref":"#/$defs/node","$defs":{"node":{"type":"object","properties":{
          "value":{"type":"integer"},"next":{"anyOf":[{"$ref":"#/$defs/node"},{"type":"null"}]}},
          "required":["value","next"],"additionalProperties":false}}})",
      R"({"type":"object","properties":{"child":{"$ref":"#"},"n":{"type":"integer"}}})",
      R"({"type":"array","prefixItems":[{"type":"integer"},{"type":"string"}],"items":false,
          "minItems":1})",
      R"({"type":"array","prefixItems":[{"type":"integer"}],"items":{"type":"boolean"}})",
      R"({"type":"integer","exclusiveMinimum":-3,"maximum":12.5})",
      R"({"type":"number","minimum":-2,"exclusiveMaximum":7})",
      R"({"type":"number","exclusiveMinimum":0})",
      R"({"type":"integer","maximum":9223372036854775807,"minimum":5})",
      R"({"type":"object","additionalProperties":{"type":"integer"}})",
      R"({"type":"object","properties":{"ab":{"type":"null"},"é":{"type":"null"}},
          "additionalProperties":{"type":"string","maxLength":2}})",
      R"({"properties":{"a":{}},"required":["a","b"]})",
      R"({"type":"object"})",
      R"({"type":"boolean"})",
      R"({})",
      R"(true)",
  };
  return texts;
}

// Every byte, and some longer tokens as vocabularies have them; 0 ends the text.
std::vector<std::string> tokens() {
  std::vector<std::string> texts{""};
  for (int byte = 0; byte < 256; ++byte) {
    texts.emplace_back(1, static_cast<char>(byte));
  }
  for (const char* text :
       {"{\"",  "\":", "\",\"", "\"}",  "}}",     "]]",   "[[", "12",    "true", "null", ", ",
        "\n  ", "é",   "ab",    "name", "\": \"", "\\\"", "0.", "\\u00", "😀",    "]}"}) {
    texts.emplace_back(text);
  }
  return texts;
}

// A walk through allowed tokens, which prefers to end and to close what is open once it is long.
std::string walk(TextConstraint& constraint, const TokenTrie& trie, RandomSequence draws) {
  std::string text;
  TextConstraint::State state = constraint.begin();
  for (int step = 0; step < 3000; ++step) {
    const TokenMask mask = constraint.allowed(state);
    std::vector<std::int32_t> choices;
    for (std::int32_t id = 0; id < static_cast<std::int32_t>(trie.vocabulary_size()); ++id) {
      if (mask.has(id)) {
        choices.push_back(id);
      }
    }
    EXPECT_FALSE(choices.empty()) << text;
    const auto pick = [&] { return choices[draws.next() % choices.size()]; };
    std::int32_t token = pick();
    if (step > 40) {
      if (mask.has(0)) {
        return text;
      }
      std::vector<std::int32_t> closing;
      for (const char c : std::string("}]\"\\ntb01")) {
        if (const std::int32_t id = 1 + static_cast<std::uint8_t>(c); mask.has(id)) {
          closing.push_back(id);
        }
      }
      if (!closing.empty() && draws.next() % 8 != 0) {
        token = closing[draws.next() % closing.size()];
      }
    }
    if (token == 0) {
      return text;
    }
    text += trie.bytes_of(token);
    state = constraint.advance(state, token);
  }
  ADD_FAILURE() << "the text does not end: " << text;
  return text;
}

TEST(JsonSchema, EveryWalkThroughAllowedTokensIsAnInstance) {
  const auto trie = std::make_shared<TokenTrie>(tokens());
  for (const std::string& text : schemas()) {
    const Json schema = Json::parse(text);
    const SchemaValidator validator(schema);
    TextConstraint constraint(json_schema_grammar(schema), trie, {0});
    for (std::uint32_t seed = 0; seed < 60; ++seed) {
      const std::string instance = walk(constraint, *trie, RandomSequence(seed));
      ASSERT_TRUE(Json::accept(instance)) << text << "\n" << instance;
      EXPECT_TRUE(validator.accepts(Json::parse(instance))) << text << "\n" << instance;
    }
  }
}

TEST(JsonSchema, AcceptsInstancesAsTheyAreUsuallyWritten) {
  const std::vector<std::pair<std::size_t, std::vector<std::string>>> cases{
      {0,
       {R"({"name":"Ann","age":7})",
        "{\n  \"name\": \"Ann\",\n  \"age\": 130,\n  \"tags\": []\n}"}},
      {1, {"[1,2]", "[1, -2.5, 3e5]"}},
      {2, {R"("ab")", R"("éé日日😀\n")"}},
      {4, {R"("AB-12")"}},
      {5, {R"("xa\"by")", R"("\\")"}},
      {7, {R"("red")", "3", "null", R"({"a": [1, 2]})", R"("q\"uote")"}},
      {8, {R"("x")"}},
      {14, {R"({"value":1,"next":{"value":2,"next":null}})"}},
      {16, {"[1]", R"([1,"x"])"}},
      {18, {"-2", "12"}},
      {19, {"-2", "6.999", "-1.5", "0"}},
      {23, {R"({"ab":null,"x":"y"})"}},
      {27, {"[]", "{}", "1", R"("x")", "null"}}};
  for (const auto& [index, instances] : cases) {
    GrammarMachine machine(json_schema_grammar(Json::parse(schemas()[index])));
    for (const std::string& instance : instances) {
      EXPECT_TRUE(matches(machine, instance)) << schemas()[index] << "\n" << instance;
    }
  }
}

TEST(JsonSchema, RefusesOtherInstances) {
  const std::vector<std::pair<std::size_t, std::vector<std::string>>> cases{
      {0,
       {"{}", R"({"name":"Ann"})", R"({"name":"Ann","age":131})", R"({"name":1,"age":1})",
        R"({"name":"Ann","age":1,"x":2})"}},
      {1, {"[1]", "[1,2,3,4,5,6]", "[\"x\",1]"}},
      {2, {R"("a")", R"("abcdefg")"}},
      {8, {"3"}},
      {16, {"[]", R"([1,"x",2])"}},
      {18, {"-3", "13", "1.5"}},
      {19, {"-2.5", "7", "7.0"}}};
  for (const auto& [index, instances] : cases) {
    GrammarMachine machine(json_schema_grammar(Json::parse(schemas()[index])));
    for (const std::string& instance : instances) {
      EXPECT_FALSE(matches(machine, instance)) << schemas()[index] << "\n" << instance;
    }
  }
}

TEST(JsonSchema, ATypeOrANameThatIsGivenTwiceCountsOnce) {
  Json types = Json::array(), required = Json::array();
  for (int i = 0; i < 100'000; ++i) {
    types.push_back("object");
    required.push_back("a");
  }
  GrammarMachine machine(json_schema_grammar(
      {{"type", types}, {"properties", {{"a", {{"type", "null"}}}}}, {"required", required}}));
  EXPECT_TRUE(matches(machine, R"({"a": null})"));
  EXPECT_FALSE(matches(machine, "{}"));
}

TEST(JsonSchema, RefusesWhatItCannotDoByName) {
  using ::testing::HasSubstr;
  const std::string long_name(600, 'x');
  const std::vector<std::pair<std::string, std::string>> cases{
      {R"({"type":"object","patternProperties":{}})",
       "\"patternProperties\" at # is not supported"},
      {R"({"properties":{"a":{"multipleOf":3}}})",
       "\"multipleOf\" at #/properties/a is not supported"},
      {R"({"type":"array","uniqueItems":true})", "\"uniqueItems\" at # is not supported"},
      {R"({"not":{}})", "\"not\" at # is not supported"},
      {R"({"anyOf":[{}],"properties":{}})",
       "\"properties\" beside \"anyOf\" at # is not supported"},
      {R"({"allOf":[{},{}]})", "\"allOf\" of more than one schema at # is not supported"},
      {R"({"$ref":"http://x/y"})", "is outside of the schema"},
      {R"({"$ref":"#/$defs/x"})", "'#/$defs/x' is not there"},
      {R"({"$ref":"#/~2"})", "'#/~2' is not there"},
      {R"({"$ref":3})", "\"$ref\" at # is not a text"},
      {R"({"type":"text"})", "\"text\" is not one of string, number"},
      {R"({"type":[]})", "the list is empty"},
      {R"({"enum":[]})", "a list of at least one value is expected"},
      {R"({"anyOf":{}})", "a list of at least one schema is expected"},
      {R"({"type":"object","properties":[1]})", "\"properties\" at # is not an object"},
      {R"({"type":"object","required":[1]})", "\"required\" at # is not a list of names"},
      {R"({"properties":{")" + long_name + R"(":{}}})", "at # has 600 bytes; at most 512"},
      {R"({"required":[")" + long_name + R"("]})", "at # has 600 bytes; at most 512"},
      {R"({"type":"array","minItems":-1})", "-1 is not a count"},
      {R"({"type":"array","maxItems":1e9})", "at most 100000 is supported"},
      {R"({"type":"array","prefixItems":{}})", "\"prefixItems\" at # is not a list"},
      {R"({"type":"number","minimum":0.5})", "a bound with a fraction is not supported"},
      {R"({"type":"integer","minimum":1e16})", "too large"},
      {R"({"type":"integer","minimum":"x"})", "\"minimum\" at # is not a number"},
      {R"({"type":"string","pattern":"a","minLength":3})", "write the length into the pattern"},
      {"{\"type\":\"string\",\"pattern\":\"(?=a)\"}", "look-ahead"},
      {R"({"type":"string","pattern":3})", "\"pattern\" at # is not a text"},
      {R"({"items":3})", "#/items is number; an object or a boolean is expected"},
      {"3", "# is number"}};
  for (const auto& [schema, what] : cases) {
    try {
      json_schema_grammar(Json::parse(schema));
      ADD_FAILURE() << schema;
    } catch (const InvalidArgument& error) {
      EXPECT_THAT(error.what(), HasSubstr(what)) << schema;
    }
  }
}

TEST(JsonSchema, SaysWhenItCannotBeMet) {
  for (const char* schema :
       {R"(false)", R"({"type":"integer","minimum":3,"maximum":2})",
        R"({"type":"string","minLength":3,"maxLength":2})",
        R"({"type":"object","required":["x"],"additionalProperties":false})",
        R"({"type":"array","items":false,"minItems":1})", R"({"type":"string","enum":[1]})",
        R"({"$ref":"#/$defs/n","$defs":{"n":{"type":"object","properties":{
            "next":{"$ref":"#/$defs/n"}},"required":["next"]}}})",
        R"({"type":"object","properties":{"x":false},"required":["x"]})"}) {
    try {
      json_schema_grammar(Json::parse(schema));
      ADD_FAILURE() << schema;
    } catch (const InvalidArgument& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr("cannot be met")) << schema;
    }
  }
}

TEST(JsonSchema, ASchemaThatIsOnlyItselfIsRefused) {
  for (const char* schema : {R"({"$ref":"#"})", R"({"anyOf":[{"$ref":"#"},{"type":"null"}]})"}) {
    EXPECT_THROW(json_schema_grammar(Json::parse(schema)), InvalidArgument) << schema;
  }
  std::string deep = "{}";
  for (int i = 0; i < 200; ++i) {
    deep = R"({"items":)" + deep + "}";
  }
  EXPECT_THROW(json_schema_grammar(Json::parse(deep)), InvalidArgument);
}

}  // namespace
}  // namespace yona
