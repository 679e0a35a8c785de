#include "yona/serve/fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/harness/temp_dir.h"

namespace yona {
namespace {

using serve::Fields;
using serve::FieldType;
using serve::HttpError;
using serve::RequestFields;
using serve::UnknownFields;
using testing::message_of;

Fields table() {
  return {
      {.name = "q", .type = FieldType::text_or_texts, .description = "a text", .required = true},
      {.name = "n", .type = FieldType::integer, .description = "", .least = 1, .most = 9},
      {.name = "x", .type = FieldType::number, .description = "", .least = -1, .most = 1},
      {.name = "yes", .type = FieldType::boolean, .description = ""},
      {.name = "word", .type = FieldType::text, .description = "", .words = {"a", "b"}},
      {.name = "items",
       .type = FieldType::list,
       .description = "",
       .fields = {{"keep", FieldType::text, ""}}}};
}

RequestFields json_fields(const std::string& body) {
  return {{.method = "POST", .path = "", .content_type = "application/json", .body = body},
          table(),
          UnknownFields::refuse};
}
RequestFields form_fields(const std::string& body, const std::string& query = "") {
  return {
      {.method = "POST", .path = "", .query = query, .body = body}, table(), UnknownFields::refuse};
}
std::string json_error(const std::string& body) {
  return message_of<HttpError>([&] { json_fields(body); });
}

TEST(RequestFields, ReadJson) {
  const RequestFields fields = json_fields(
      R"({"q": "hello", "n": 3, "x": -0.5, "yes": true, "word": "b", "items": [{"keep": "k"}]})");
  EXPECT_EQ(fields.text("q"), "hello");
  EXPECT_EQ(fields.texts("q"), std::vector<std::string>{"hello"});
  EXPECT_FALSE(fields.is_list("q"));
  EXPECT_EQ(fields.integer("n"), 3);
  EXPECT_EQ(fields.number("x"), -0.5);
  EXPECT_TRUE(fields.boolean("yes"));
  EXPECT_EQ(fields.value("items")[0]["keep"], "k");
}

TEST(RequestFields, TakeWhatIsNotGivenForNothing) {
  const RequestFields fields = json_fields(R"({"q": ["a", "b"], "n": null})");
  EXPECT_TRUE(fields.is_list("q"));
  EXPECT_FALSE(fields.has("n"));
  EXPECT_EQ(fields.integer("n"), std::nullopt);
  EXPECT_EQ(fields.number("x"), std::nullopt);
  EXPECT_FALSE(fields.boolean("yes"));
  EXPECT_EQ(fields.text("word", "a"), "a");
  EXPECT_TRUE(fields.value("items").is_null());
  EXPECT_TRUE(fields.texts("items").empty());
}

TEST(RequestFields, ReadForms) {
  const RequestFields fields = form_fields("q=a+b&n=3&x=0.25&yes=1", "word=a");
  EXPECT_EQ(fields.text("q"), "a b");
  EXPECT_EQ(fields.integer("n"), 3);
  EXPECT_EQ(fields.number("x"), 0.25);
  EXPECT_TRUE(fields.boolean("yes"));
  EXPECT_EQ(fields.text("word"), "a");
  EXPECT_EQ(form_fields("q=a&q=b").texts("q"), (std::vector<std::string>{"a", "b"}));
  EXPECT_THROW(form_fields("q=a&n=three"), HttpError);
  EXPECT_THROW(form_fields("q=a&n=3x"), HttpError);
  EXPECT_THROW(form_fields("q=a&yes=maybe"), HttpError);
  EXPECT_THROW(form_fields("q=a&n="), HttpError);
}

// Each takes minutes where the time grows with the square of the number.
TEST(RequestFields, LongFormsTakeNoLongerThanTheirBytes) {
  std::string same = "q=a", others = "q=a";
  for (int i = 0; i < 200'000; ++i) {
    same += "&q=a";
    others += "&a" + std::to_string(i);
  }
  EXPECT_EQ(form_fields(same).texts("q").size(), 200'001U);
  EXPECT_THAT(message_of<HttpError>([&] { form_fields(others); }),
              ::testing::HasSubstr("there is no field \"a0\""));
}

TEST(RequestFields, ReadJsonThatIsCalledAForm) {
  EXPECT_EQ(form_fields(" {\"q\": \"a&b=c\", \"n\": 3}").text("q"), "a&b=c");
  EXPECT_THAT(message_of<HttpError>([] { form_fields("{\"q\": "); }),
              ::testing::StartsWith("the body: "));
  EXPECT_EQ(form_fields("q={}").text("q"), "{}");
}

TEST(RequestFields, SayWhatIsWrong) {
  EXPECT_EQ(json_error("{}"), "\"q\" is missing: a text");
  EXPECT_EQ(json_error(R"({"q": 1})"), "\"q\": expected a text or a list of texts, got 1");
  EXPECT_EQ(json_error(R"({"q": "", "n": 10})"), "\"n\": expected a number from 1 to 9, got 10");
  EXPECT_EQ(json_error(R"({"q": "", "n": 1.5})"), "\"n\": expected a whole number, got 1.5");
  EXPECT_EQ(json_error(R"({"q": "", "n": 1e99})"), "\"n\": expected a whole number, got 1e+99");
  EXPECT_EQ(json_error(R"({"q": "", "yes": 1})"), "\"yes\": expected true or false, got 1");
  EXPECT_EQ(json_error(R"({"q": "", "word": "c"})"), "\"word\": expected a or b, got \"c\"");
  EXPECT_EQ(json_error(R"({"q": "", "items": [1]})"),
            "\"items\": expected a list of objects, got [1]");
  EXPECT_EQ(json_error(R"({"q": "", "items": [{"kep": ""}]})"),
            "there is no field \"kep\"; did you mean \"keep\"?");
  EXPECT_EQ(json_error("[]"), "the body: expected an object of JSON");
  EXPECT_NE(json_error("{").find("the body: not valid JSON"), std::string::npos);
  const std::string deep = "{\"q\": " + std::string(1000, '[') + std::string(1000, ']') + "}";
  EXPECT_NE(json_error(deep).find("nested deeper"), std::string::npos);
}

TEST(RequestFields, ShowLittleOfALongValue) {
  EXPECT_LT(json_error(R"({"q": "", "n": ")" + std::string(100'000, 'x') + "\"}").size(), 200U);
}

TEST(RequestFields, IgnoreUnknownFieldsWhereTold) {
  const RequestFields fields({.method = "POST",
                              .path = "",
                              .content_type = "application/json",
                              .body = R"({"q": "a", "z": 1})"},
                             table(), UnknownFields::ignore);
  EXPECT_FALSE(fields.has("z"));
}

TEST(Fields, HaveASchema) {
  const Json schema = schema_of(table());
  EXPECT_EQ(schema["required"], Json({"q"}));
  EXPECT_EQ(schema["properties"]["n"]["maximum"], 9);
  EXPECT_EQ(schema["properties"]["word"]["enum"], Json({"a", "b"}));
  EXPECT_EQ(schema["properties"]["items"]["items"]["properties"]["keep"]["type"], "string");
}

}  // namespace
}  // namespace yona
