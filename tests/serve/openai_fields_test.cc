#include "yona/serve/openai_fields.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "tests/serve/fake_generation.h"

namespace yona::testing {
namespace {

std::set<std::string> names_of(const serve::Fields& fields) {
  std::set<std::string> names;
  for (const serve::Field& field : fields) {
    EXPECT_TRUE(names.insert(field.name).second) << field.name << " is there twice";
    EXPECT_FALSE(field.description.empty()) << field.name;
  }
  return names;
}

// Every name of the object is described.
void expect_described(const Json& object, const serve::Fields& fields) {
  const std::set<std::string> names = names_of(fields);
  for (const auto& [name, value] : object.items()) {
    EXPECT_TRUE(names.contains(name)) << name;
  }
}

const serve::Fields& fields_in(const serve::Fields& fields, const std::string& name) {
  return std::find_if(fields.begin(), fields.end(),
                      [&](const serve::Field& field) { return field.name == name; })
      ->fields;
}

TEST(OpenAiFields, DescribeAnswersAsTheyAre) {
  FakeGenerationServer server;
  const Json completion = server.complete({{"prompt", "a"}, {"logprobs", 1}})->json();
  expect_described(completion, serve::completion_answer());
  expect_described(completion["choices"][0], fields_in(serve::completion_answer(), "choices"));
  expect_described(completion["usage"], fields_in(serve::completion_answer(), "usage"));
  const Json chat = server.chat({{"logprobs", true}})->json();
  expect_described(chat, serve::chat_answer());
  expect_described(chat["choices"][0], fields_in(serve::chat_answer(), "choices"));
  const Json error = server.complete({{"model", "x"}, {"prompt", "a"}})->json();
  expect_described(error, serve::openai_error_answer());
  expect_described(error["error"], fields_in(serve::openai_error_answer(), "error"));
  const Json models = server.get("/v1/models")->json();
  expect_described(models["data"].back(), serve::openai_model_fields());
}

TEST(OpenAiFields, HaveEachNameOnce) {
  EXPECT_TRUE(names_of(serve::completion_fields()).contains("prompt"));
  EXPECT_TRUE(names_of(serve::chat_fields()).contains("messages"));
}

TEST(OpenAiFields, RefuseAnUnknownFieldByItsName) {
  FakeGenerationServer server;
  const auto answer = server.complete({{"prompt", "a"}, {"tempreature", 1}});
  EXPECT_EQ(answer->response.status, 400);
  EXPECT_NE(openai_message(*answer).find("tempreature"), std::string::npos);
}

}  // namespace
}  // namespace yona::testing
