#include "yona/generate/jinja/value.h"

#include <gtest/gtest.h>

namespace yona::jinja {
namespace {

TEST(JinjaValue, KeepsTheOrderOfADictionary) {
  const Value value = Value::from(Json::parse(R"({"b":1,"a":{"x":[true,null]}})"));
  EXPECT_EQ(value.repr(), "{'b': 1, 'a': {'x': [True, None]}}");
  EXPECT_EQ(value.dict().find(Value("b"))->integer(), 1);
  EXPECT_EQ(value.dict().find(Value("c")), nullptr);
}

TEST(JinjaValue, ComparesAsPythonDoes) {
  EXPECT_TRUE(is_equal(Value(true), Value(std::int64_t{1})));
  EXPECT_TRUE(is_equal(Value(1.0), Value(std::int64_t{1})));
  EXPECT_FALSE(is_equal(Value("1"), Value(std::int64_t{1})));
  EXPECT_FALSE(is_equal(Value(List{}), Value::tuple({})));
  EXPECT_TRUE(is_less(Value("Z"), Value("a")));
  EXPECT_THROW(is_less(Value("a"), Value(std::int64_t{1})), TemplateError);
}

TEST(JinjaValue, TruthIsAsPythonHasIt) {
  EXPECT_FALSE(Value().is_true());
  EXPECT_FALSE(Value("").is_true());
  EXPECT_FALSE(Value(0.0).is_true());
  EXPECT_FALSE(Value(Dict{}).is_true());
  EXPECT_FALSE(Value::undefined("x").is_true());
  EXPECT_TRUE(Value::generator({}).is_true());
  EXPECT_TRUE(Value("x").is_true());
}

TEST(JinjaValue, ADictionaryTakesOtherKeysThanTexts) {
  Dict dict;
  dict.set(Value(std::int64_t{1}), Value("a"));
  dict.set(Value(true), Value("b"));
  ASSERT_EQ(dict.items().size(), 1U);
  EXPECT_EQ(dict.find(Value(1.0))->text(), "b");
}

TEST(JinjaValue, DeepJsonIsRefused) {
  const Json deep = Json::parse(std::string(500, '[') + std::string(500, ']'));
  EXPECT_THROW(Value::from(deep), TemplateError);
}

}  // namespace
}  // namespace yona::jinja
