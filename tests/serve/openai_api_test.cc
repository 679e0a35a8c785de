#include "yona/serve/openai_api.h"

#include <gtest/gtest.h>

#include "tests/harness/temp_dir.h"
#include "tests/serve/fake_generation.h"

namespace yona::testing {
namespace {

using serve::HttpError;

TEST(OpenAiApi, CompletesTexts) {
  FakeGenerationServer server;
  const Json answer = server.complete({{"prompt", {"a b", "c"}}, {"n", 2}})->json();
  EXPECT_EQ(answer["object"], "text_completion");
  EXPECT_EQ(answer["model"], "toy");
  ASSERT_EQ(answer["choices"].size(), 4U);
  const std::vector<std::string> texts{"A B", "A' B'", "C", "C'"};
  for (std::size_t i = 0; i < texts.size(); ++i) {
    EXPECT_EQ(answer["choices"][i]["index"], i);
    EXPECT_EQ(answer["choices"][i]["text"], texts[i]);
    EXPECT_EQ(answer["choices"][i]["finish_reason"], "stop");
    EXPECT_EQ(answer["choices"][i]["logprobs"], nullptr);
  }
  EXPECT_EQ(answer["usage"]["prompt_tokens"], 3);
  EXPECT_EQ(answer["usage"]["completion_tokens"], 6);
  EXPECT_EQ(answer["usage"]["total_tokens"], 9);
}

TEST(OpenAiApi, AnswersConversations) {
  FakeGenerationServer server;
  const Json answer = server.chat({{"max_tokens", 2}})->json();
  EXPECT_EQ(answer["object"], "chat.completion");
  EXPECT_EQ(answer["choices"][0]["message"]["role"], "assistant");
  EXPECT_EQ(answer["choices"][0]["message"]["content"], "ONE TWO");
  EXPECT_EQ(answer["choices"][0]["finish_reason"], "length");
  server.generation.summaries[0].has_chat = false;
  const auto refused = server.chat({});
  EXPECT_EQ(refused->response.status, 400);
  EXPECT_EQ(openai_message(*refused), "the model 'toy' has no chat template; use /v1/completions");
}

TEST(OpenAiApi, GivesTheAttentionOverAPrompt) {
  FakeGenerationServer server;
  const Json answer = server.post("/v1/prompt_attention", {{"prompt", "a b"}})->json();
  EXPECT_EQ(answer["tokens"], Json::array({"a", "\xEF\xBF\xBD"}));
  EXPECT_EQ(answer["heads"], 1);
  EXPECT_EQ(answer["colours"].size(), 1U);
  EXPECT_EQ(answer["layers"], Json::parse("[[255, 0, 255, 0]]"));
  EXPECT_EQ(server.generation.last->prompts, std::vector<std::string>{"a b"});
  EXPECT_EQ(server.post("/v1/prompt_attention", Json::object())->response.status, 400);
}

TEST(OpenAiApi, GivesTheJobItsDeadlineItsClientAndItsModel) {
  FakeGenerationServer server;
  const auto exchange = server.complete({{"prompt", "a"}});
  EXPECT_EQ(server.generation.last->model, "toy");
  EXPECT_EQ(server.generation.last->client, "1.2.3.4");
  EXPECT_EQ(server.generation.last->gone, exchange->gone_);
  EXPECT_LT(server.generation.last->deadline, Clock::time_point::max());
}

TEST(OpenAiApi, AnswersErrorsInTheFormatOfOpenAi) {
  FakeGenerationServer server;
  const auto unknown = server.complete({{"prompt", "a"}, {"model", "gpt-4"}});
  EXPECT_EQ(unknown->response.status, 404);
  EXPECT_EQ(unknown->json()["error"]["code"], "model_not_found");
  EXPECT_EQ(unknown->json()["error"]["type"], "not_found_error");
  const auto wrong = server.complete({{"prompt", "a"}, {"temperature", 5}});
  EXPECT_EQ(wrong->response.status, 400);
  EXPECT_EQ(wrong->json()["error"]["type"], "invalid_request_error");
  EXPECT_EQ(wrong->json()["error"]["param"], "temperature");
  server.generation.refusal = std::make_exception_ptr(HttpError(503, "overloaded", 7));
  const auto refused = server.complete({{"prompt", "a"}});
  EXPECT_EQ(refused->response.status, 503);
  EXPECT_EQ(refused->json()["error"]["type"], "server_error");
  EXPECT_EQ(refused->response.headers.front(),
            std::pair(std::string("Retry-After"), std::string("7")));
}

TEST(OpenAiApi, HasTheServersLimits) {
  FakeGenerationServer server({.texts = 2, .characters = 20});
  EXPECT_EQ(openai_message(*server.complete({{"prompt", std::string(21, 'a')}})),
            "the request has 21 characters; 20 are allowed at most");
  EXPECT_EQ(openai_message(*server.complete({{"prompt", {"a", "b", "c"}}})),
            "\"prompt\": 3 texts; 2 are allowed at most");
  EXPECT_EQ(server.generation.last, nullptr);
}

TEST(OpenAiApi, AsksForTheServersKeysAndTakesTurnsByThem) {
  const TempDir folder;
  write_bytes(folder / "keys.json", R"({"keys": [{"key": "secret", "requests_per_minute": 1}]})");
  serve::ApiKeys keys(folder / "keys.json");
  FakeService service;
  FakeGeneration generation;
  serve::Application application({.service = service, .keys = keys, .generation = &generation}, "",
                                 [] { return std::string(); });
  const auto ask = [&](const std::string& authorization) {
    const auto exchange =
        std::make_shared<FakeExchange>(serve::HttpRequest{.method = "POST",
                                                          .path = "/v1/completions",
                                                          .content_type = "application/json",
                                                          .authorization = authorization,
                                                          .body = R"({"prompt": "a"})",
                                                          .client = "1.2.3.4"});
    application.handle(exchange);
    return exchange;
  };
  EXPECT_EQ(ask("")->response.status, 403);
  EXPECT_EQ(ask("Bearer wrong")->response.status, 403);
  EXPECT_EQ(ask("Bearer secret")->response.status, 200);
  EXPECT_EQ(generation.last->client, "secret");
  const auto limited = ask("Bearer secret");
  EXPECT_EQ(limited->response.status, 429);
  EXPECT_EQ(limited->json()["error"]["type"], "rate_limit_error");
}

TEST(OpenAiApi, ListsModelsOfBothKinds) {
  FakeGenerationServer server;
  const Json answer = server.get("/v1/models")->json();
  EXPECT_EQ(answer["object"], "list");
  std::vector<std::string> tasks;
  for (const Json& model : answer["data"]) {
    EXPECT_EQ(model["object"], "model");
    tasks.push_back(model["id"].get<std::string>() + " " + model["task"].get<std::string>());
  }
  EXPECT_EQ(tasks, (std::vector<std::string>{"en-de translation", "de-en translation",
                                             "en-zh translation", "toy generation"}));
  EXPECT_EQ(answer["models"].size(), 3U);  // those that the page translates with
  EXPECT_EQ(answer["data"][3]["context"], 64);
  EXPECT_EQ(answer["data"][3]["chat"], true);
}

TEST(OpenAiApi, DescribesOneModelByItsId) {
  FakeGenerationServer server;
  const Json list = server.get("/v1/models")->json()["data"];
  ASSERT_FALSE(list.empty());
  for (const Json& model : list) {
    EXPECT_EQ(server.get("/v1/models/" + model["id"].get<std::string>())->json(), model);
  }
  const auto missing = server.get("/v1/models/none");
  EXPECT_EQ(missing->response.status, 404);
  EXPECT_EQ(missing->json()["error"]["message"],
            "there is no model 'none'; /v1/models lists what there is");
  EXPECT_EQ(missing->json()["error"]["code"], "model_not_found");
}

TEST(OpenAiApi, TranslationWithoutATranslationModelIsNotFound) {
  FakeGenerationServer server;
  server.service.summaries.clear();
  const Json body{{"q", "a"}, {"source", "en"}, {"target", "de"}};
  for (const char* path : {"/translate", "/v1/translate", "/v1/beam", "/v1/explain"}) {
    Json asked = body;
    const auto answer = server.post(path, asked);
    EXPECT_EQ(answer->response.status, 404) << path << answer->response.body;
    EXPECT_EQ(answer->error(), "no translation model is served here; /v1/models lists what is");
  }
  EXPECT_EQ(server.get("/languages")->json(), Json::array());
  EXPECT_EQ(server.complete({{"prompt", "a"}})->response.status, 200);
}

TEST(OpenAiApi, IsTurnedAwayWhileItsOwnQueueIsFull) {
  FakeGenerationServer server;
  server.service.full = true;
  EXPECT_FALSE(server.application.turn_away("POST", "/v1/completions"));
  server.service.full = false;
  server.generation.full = true;
  EXPECT_FALSE(server.application.turn_away("POST", "/translate"));
  const auto refusal = server.application.turn_away("POST", "/v1/chat/completions");
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->status, 503);
  EXPECT_EQ(Json::parse(refusal->body)["error"]["type"], "server_error");
}

TEST(OpenAiApi, IsDescribed) {
  FakeGenerationServer server;
  const Json paths = server.get("/openapi.json")->json()["paths"];
  for (const char* path : {"/v1/completions", "/v1/chat/completions"}) {
    const Json post = paths[path]["post"];
    EXPECT_TRUE(post["requestBody"]["content"].contains("application/json")) << path;
    for (const char* status : {"400", "404", "413", "429", "503", "504"}) {
      EXPECT_TRUE(post["responses"].contains(status)) << path << status;
    }
  }
}

}  // namespace
}  // namespace yona::testing
