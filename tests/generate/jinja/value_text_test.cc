#include <gtest/gtest.h>

#include "yona/generate/jinja/value.h"

namespace yona::jinja {
namespace {

TEST(JinjaValueText, ReprIsPythons) {
  EXPECT_EQ(Value("it's").repr(), "\"it's\"");
  EXPECT_EQ(Value("it's \"x\"").repr(), "'it\\'s \"x\"'");
  EXPECT_EQ(Value("a\n\t\\\x01é").repr(), "'a\\n\\t\\\\\\x01é'");
  EXPECT_EQ(Value("\u00a0\u200b\u0301日\U000e0001").repr(), "'\\xa0\\u200b\u0301日\\U000e0001'");
  EXPECT_EQ(Value(1.0).repr(), "1.0");
  EXPECT_EQ(Value(1e16).repr(), "1e+16");
  EXPECT_EQ(Value(0.1).repr(), "0.1");
  EXPECT_EQ(Value::tuple({Value(std::int64_t{1})}).repr(), "(1,)");
}

TEST(JinjaValueText, JsonIsPythons) {
  const Value value = Value::from(Json::parse(R"({"b":[1,2.5,"é\n"],"a":{},"c":[]})"));
  EXPECT_EQ(json_text(value, {}), R"({"b": [1, 2.5, "é\n"], "a": {}, "c": []})");
  EXPECT_EQ(json_text(value, {.ensure_ascii = true, .sort_keys = true}),
            R"({"a": {}, "b": [1, 2.5, "\u00e9\n"], "c": []})");
  EXPECT_EQ(json_text(Value::from(Json::parse("[1,[2]]")), {.indent = 2, .item_separator = ","}),
            "[\n  1,\n  [\n    2\n  ]\n]");
  EXPECT_EQ(json_text(Value("😀\x7f"), {.ensure_ascii = true}), R"("\ud83d\ude00\u007f")");
  EXPECT_THROW(json_text(Value::generator({}), {}), TemplateError);
}

}  // namespace
}  // namespace yona::jinja
