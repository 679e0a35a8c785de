#include "yona/serve/openai_request.h"

#include <gtest/gtest.h>

#include "yona/serve/openai_fields.h"

#include "tests/harness/temp_dir.h"
#include "tests/serve/fake_generation.h"

namespace yona::serve {
namespace {

using yona::testing::FakeGeneration;
using yona::testing::message_of;

RequestFields fields_of(const Json& body, const Fields& fields) {
  return RequestFields(
      {.method = "POST", .path = "/", .content_type = "application/json", .body = body.dump()},
      fields, UnknownFields::refuse);
}

std::shared_ptr<GenerationJob> completion(const Json& body) {
  return completion_job(fields_of(body, completion_fields()));
}

std::shared_ptr<GenerationJob> chat(Json body) {
  if (!body.contains("messages")) {
    body["messages"] = Json::array({{{"role", "user"}, {"content", "Hi"}}});
  }
  return chat_job(fields_of(body, chat_fields()));
}

TEST(OpenAiRequest, HasTheDefaultsOfOpenAisApi) {
  const auto job = completion({{"prompt", "a"}});
  EXPECT_EQ(job->prompts, std::vector<std::string>{"a"});
  EXPECT_EQ(job->options.max_new, 16);
  EXPECT_EQ(job->options.temperature, 1.0);
  EXPECT_EQ(job->options.top_p, 1.0);
  EXPECT_EQ(job->options.answers, 1);
  EXPECT_EQ(job->options.logprobs, -1);
  EXPECT_NE(job->options.seed, completion({{"prompt", "a"}})->options.seed);
  EXPECT_FALSE(job->is_chat());
  const auto talk = chat({});
  EXPECT_TRUE(talk->is_chat());
  EXPECT_FALSE(talk->options.max_new.has_value());
  EXPECT_EQ(talk->options.logprobs, -1);
}

TEST(OpenAiRequest, TakesEverySeedAndATopPOfZero) {
  for (const std::int64_t seed : {INT64_MIN, std::int64_t{-1}, INT64_MAX, INT64_MAX - 1}) {
    EXPECT_EQ(completion({{"prompt", "a"}, {"seed", seed}})->options.seed,
              static_cast<std::uint64_t>(seed));
  }
  EXPECT_EQ(completion({{"prompt", "a"}, {"seed", 3.0}})->options.seed, 3U);
  for (const Json& seed : {Json(1e19), Json(std::uint64_t{1} << 63U), Json(0.5)}) {
    EXPECT_NE(message_of<HttpError>([&] { completion({{"prompt", "a"}, {"seed", seed}}); }), "");
  }
  EXPECT_GT(completion({{"prompt", "a"}, {"top_p", 0}})->options.top_p, 0.0);
  EXPECT_LT(completion({{"prompt", "a"}, {"top_p", 0}})->options.top_p, 1e-9);
}

TEST(OpenAiRequest, TakesEverySetting) {
  const auto job = completion({{"prompt", {"a", "b"}},
                               {"max_tokens", 5},
                               {"temperature", 0.5},
                               {"top_p", 0.9},
                               {"top_k", 7},
                               {"min_p", 0.1},
                               {"n", 3},
                               {"stop", "x"},
                               {"presence_penalty", 0.3},
                               {"frequency_penalty", -0.4},
                               {"repetition_penalty", 1.2},
                               {"seed", 11},
                               {"logprobs", 4},
                               {"user", "me"},
                               {"regex", "a+"}});
  const GenerateOptions& options = job->options;
  EXPECT_EQ(job->prompts, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(options.max_new, 5);
  EXPECT_EQ(options.temperature, 0.5);
  EXPECT_EQ(options.top_p, 0.9);
  EXPECT_EQ(options.top_k, 7);
  EXPECT_EQ(options.min_p, 0.1);
  EXPECT_EQ(options.answers, 3);
  EXPECT_EQ(options.stop, std::vector<std::string>{"x"});
  EXPECT_EQ(options.presence_penalty, 0.3);
  EXPECT_EQ(options.frequency_penalty, -0.4);
  EXPECT_EQ(options.repetition_penalty, 1.2);
  EXPECT_EQ(options.seed, 11U);
  EXPECT_EQ(options.logprobs, 4);
  EXPECT_EQ(options.regex, "a+");
}

TEST(OpenAiRequest, TakesTheSettingsOfChats) {
  const auto job = chat({{"max_tokens", 5},
                         {"max_completion_tokens", 9},
                         {"logprobs", true},
                         {"top_logprobs", 3},
                         {"stop", {"x", "y"}},
                         {"tools", Json::array({Json::object()})},
                         {"chat_template_kwargs", {{"enable_thinking", false}}}});
  EXPECT_EQ(job->options.max_new, 9);
  EXPECT_EQ(job->options.logprobs, 3);
  EXPECT_EQ(job->options.stop.size(), 2U);
  EXPECT_EQ(job->tools.size(), 1U);
  EXPECT_EQ(job->template_variables["enable_thinking"], false);
  EXPECT_EQ(chat({{"logprobs", true}})->options.logprobs, 0);
}

TEST(OpenAiRequest, ReadsTheFormatOfTheAnswer) {
  EXPECT_EQ(chat({{"response_format", {{"type", "text"}}}})->options.json_schema, "");
  EXPECT_EQ(chat({{"response_format", {{"type", "json_object"}}}})->options.json_schema,
            R"({"type":"object"})");
  const Json schema{{"type", "object"}};
  EXPECT_EQ(chat({{"response_format",
                   {{"type", "json_schema"},
                    {"json_schema", {{"name", "x"}, {"strict", true}, {"schema", schema}}}}}})
                ->options.json_schema,
            schema.dump());
}

TEST(OpenAiRequest, RefusesWhatCannotBeNamingTheField) {
  const auto completion_message = [](Json body) {
    if (!body.contains("prompt")) {
      body["prompt"] = "a";
    }
    return message_of<HttpError>([&] { completion(body); });
  };
  const auto chat_message = [](const Json& body) {
    return message_of<HttpError>([&] { chat(body); });
  };
  EXPECT_EQ(completion_message({{"prompt", Json::array()}}), "\"prompt\": the list is empty");
  EXPECT_EQ(completion_message({{"stop", {"a", ""}}}), "\"stop\": a string is empty");
  EXPECT_EQ(completion_message({{"stop", std::vector<std::string>(17, "a")}}),
            "\"stop\": 17 strings; at most 16 are allowed");
  EXPECT_EQ(completion_message({{"regex", "a"}, {"response_format", {{"type", "json_object"}}}}),
            "give \"regex\" or \"response_format\", not both");
  EXPECT_EQ(completion_message({{"response_format", {{"type", "yaml"}}}}),
            "\"response_format\": expected the type text, json_object or json_schema");
  EXPECT_EQ(completion_message({{"response_format", {{"type", "json_schema"}}}}),
            "\"response_format\": expected {\"type\": \"json_schema\", \"json_schema\": "
            "{\"schema\": …}}");
  EXPECT_NE(completion_message({{"max_tokens", 0}}), "");
  EXPECT_NE(completion_message({{"temperature", 3}}), "");
  EXPECT_NE(completion_message({{"n", 1000}}), "");
  EXPECT_NE(completion_message({{"best_of", 2}}), "");
  EXPECT_EQ(chat_message({{"top_logprobs", 2}}), "\"top_logprobs\" needs \"logprobs\"");
  EXPECT_EQ(chat_message({{"messages", Json::array()}}), "\"messages\": the list is empty");
  EXPECT_EQ(chat_message({{"messages", Json::array({{{"content", "Hi"}}})}}),
            "\"messages\": number 1 has no \"role\"");
  EXPECT_EQ(chat_message({{"messages", Json::array({{{"role", "user"}, {"content", 3}}})}}),
            "\"messages\": \"content\" of number 1: expected a text or a list of parts");
  EXPECT_EQ(
      chat_message({{"messages",
                     Json::array({{{"role", "user"}, {"content", {{{"type", "image_url"}}}}}})}}),
      "\"messages\": number 1 has a part that is not a text, which is not supported");
}

TEST(OpenAiRequest, ChoosesTheModelByItsNameOrTheOnlyOne) {
  FakeGeneration service;
  const auto chosen = [&](const Json& body) {
    return chosen_generator(service, fields_of(body, completion_fields())).id;
  };
  EXPECT_EQ(chosen({{"prompt", "a"}}), "toy");
  EXPECT_EQ(chosen({{"prompt", "a"}, {"model", "toy"}}), "toy");
  EXPECT_EQ(message_of<HttpError>([&] {
              chosen({{"prompt", "a"}, {"model", "gpt-4"}});
            }),
            "there is no language model 'gpt-4'; there is toy");
  service.summaries.push_back({.id = "second", .family = "llama"});
  EXPECT_EQ(chosen({{"prompt", "a"}, {"model", "second"}}), "second");
  EXPECT_EQ(message_of<HttpError>([&] {
              chosen({{"prompt", "a"}});
            }),
            "there is no language model ''; there is toy, second");
  service.summaries.clear();
  EXPECT_EQ(message_of<HttpError>([&] {
              chosen({{"prompt", "a"}});
            }),
            "no language model is served here");
}

TEST(OpenAiRequest, CountsTheCharactersOfWhatIsRead) {
  EXPECT_EQ(characters_of(*completion({{"prompt", {"äö", "abc"}}})), 5);
  EXPECT_GT(characters_of(*chat({})), 2);
}

}  // namespace
}  // namespace yona::serve
