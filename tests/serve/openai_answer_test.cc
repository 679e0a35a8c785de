#include "yona/serve/openai_answer.h"

#include <gtest/gtest.h>

#include "tests/serve/fake_generation.h"

namespace yona::testing {
namespace {

using serve::GenerationPiece;
using serve::OpenAiAnswer;
using serve::OpenAiKind;

std::shared_ptr<FakeExchange> exchange() {
  return std::make_shared<FakeExchange>(serve::HttpRequest{.method = "POST", .path = "/"});
}

TEST(OpenAiAnswer, HasLogProbabilitiesOfCompletionsInLists) {
  FakeGenerationServer server;
  const Json answer = server.complete({{"prompt", "ä b"}, {"logprobs", 2}})->json();
  const Json logprobs = answer["choices"][0]["logprobs"];
  EXPECT_EQ(logprobs["tokens"], Json({"ä", " B"}));
  EXPECT_EQ(logprobs["token_logprobs"], Json({-0.5, -0.5}));
  EXPECT_EQ(logprobs["top_logprobs"][1], Json({{"best0", -0.25}, {"best1", -1.25}}));
  EXPECT_EQ(logprobs["text_offset"], Json({0, 1}));  // in characters
}

TEST(OpenAiAnswer, HasLogProbabilitiesOfChatsByTokens) {
  FakeGenerationServer server;
  const Json answer = server.chat({{"logprobs", true}, {"top_logprobs", 1}})->json();
  const Json content = answer["choices"][0]["logprobs"]["content"];
  ASSERT_EQ(content.size(), 2U);
  EXPECT_EQ(content[1]["token"], " TWO");
  EXPECT_EQ(content[1]["bytes"], Json({32, 84, 87, 79}));
  EXPECT_EQ(content[1]["logprob"], -0.5);
  ASSERT_EQ(content[1]["top_logprobs"].size(), 1U);
  EXPECT_EQ(content[1]["top_logprobs"][0]["token"], "best0");
}

TEST(OpenAiAnswer, StreamsPiecesThatJoinToTheWholeText) {
  FakeGenerationServer server;
  const auto streamed =
      server.complete({{"prompt", "a b c"}, {"n", 2}, {"stream", true}, {"logprobs", 0}});
  ASSERT_TRUE(streamed->is_stream);
  EXPECT_TRUE(streamed->has_ended);
  EXPECT_EQ(streamed->response.content_type, "text/event-stream");
  std::vector<std::string> texts(2), finishes(2);
  std::vector<Json> offsets(2, Json::array());
  for (const Json& event : events_of(streamed->response.body)) {
    ASSERT_EQ(event["object"], "text_completion");
    EXPECT_FALSE(event.contains("usage"));
    const Json choice = event["choices"][0];
    const auto index = choice["index"].get<std::size_t>();
    texts[index] += choice["text"].get<std::string>();
    for (const Json& offset : choice["logprobs"]["text_offset"]) {
      offsets[index].push_back(offset);
    }
    EXPECT_TRUE(finishes[index].empty());
    finishes[index] = choice["finish_reason"].is_null() ? "" : choice["finish_reason"];
  }
  EXPECT_EQ(texts, (std::vector<std::string>{"A B C", "A' B' C'"}));
  EXPECT_EQ(finishes, (std::vector<std::string>{"stop", "stop"}));
  EXPECT_EQ(offsets[0], Json({0, 1, 3}));
}

TEST(OpenAiAnswer, StreamsChatsWithTheRoleFirstAndTheUsageLast) {
  FakeGenerationServer server;
  const auto streamed =
      server.chat({{"stream", true}, {"stream_options", {{"include_usage", true}}}});
  const std::vector<Json> events = events_of(streamed->response.body);
  ASSERT_EQ(events.size(), 4U);
  EXPECT_EQ(events[0]["object"], "chat.completion.chunk");
  EXPECT_EQ(events[0]["choices"][0]["delta"], Json({{"role", "assistant"}, {"content", "ONE"}}));
  EXPECT_EQ(events[1]["choices"][0]["delta"], Json({{"content", " TWO"}}));
  EXPECT_EQ(events[2]["choices"][0]["delta"], Json::object());
  EXPECT_EQ(events[2]["choices"][0]["finish_reason"], "stop");
  EXPECT_EQ(events[2]["usage"], nullptr);
  EXPECT_EQ(events[3]["choices"], Json::array());
  EXPECT_EQ(events[3]["usage"]["completion_tokens"], 2);
  EXPECT_EQ(events[0]["id"], events[3]["id"]);
}

TEST(OpenAiAnswer, SaysNothingOfTokensThatHaveNoTextYet) {
  const auto given = exchange();
  OpenAiAnswer answer(given, {.kind = OpenAiKind::completion, .model = "toy", .streams = true});
  answer.grow({.token = serve::TokenText{"\xC3", -1}});
  EXPECT_EQ(given->response.body, "");
  answer.grow({.text = "ä", .token = serve::TokenText{"\xA4", -1}});
  answer.grow({.finish = "stop"});
  answer.end({});
  EXPECT_EQ(events_of(given->response.body).size(), 2U);
}

TEST(OpenAiAnswer, AnswersAnErrorBeforeAndWithinAStream) {
  const auto error = std::make_exception_ptr(serve::HttpError(504, "too late"));
  const auto before = exchange();
  OpenAiAnswer(before, {.model = "toy", .streams = true}).fail(error);
  EXPECT_EQ(before->response.status, 504);
  EXPECT_FALSE(before->is_stream);
  const auto within = exchange();
  OpenAiAnswer answer(within, {.model = "toy", .streams = true});
  answer.grow({.text = "a", .token = serve::TokenText{"a", -1}});
  answer.fail(error);
  EXPECT_TRUE(within->has_ended);
  EXPECT_EQ(within->answers, 1);
  EXPECT_NE(within->response.body.find(R"(data: {"error":{"message":"too late")"),
            std::string::npos);
  FakeGenerationServer server;
  server.generation.error = error;
  EXPECT_EQ(server.complete({{"prompt", "a b"}})->response.status, 504);
}

TEST(OpenAiAnswer, NamesEveryAnswerDifferently) {
  FakeGenerationServer server;
  const Json first = server.complete({{"prompt", "a"}})->json();
  const Json second = server.complete({{"prompt", "a"}})->json();
  EXPECT_NE(first["id"], second["id"]);
  EXPECT_TRUE(first["id"].get<std::string>().starts_with("cmpl-"));
  EXPECT_TRUE(server.chat({})->json()["id"].get<std::string>().starts_with("chatcmpl-"));
}

}  // namespace
}  // namespace yona::testing
