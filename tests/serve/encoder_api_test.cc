#include "yona/serve/encoder_api.h"

#include <gtest/gtest.h>

#include "tests/serve/fake_encoders.h"

namespace yona::testing {
namespace {

using serve::HttpError;

std::string message_of(const FakeExchange& exchange) {
  return exchange.json().at("error").at("message").get<std::string>();
}

TEST(EncoderApi, GivesAVectorForEachTextInOrder) {
  FakeEncoderServer server;
  const Json answer = server.embed({{"input", {"abc", "a text of some length"}}})->json();
  EXPECT_EQ(answer["object"], "list");
  EXPECT_EQ(answer["model"], "toy");
  ASSERT_EQ(answer["data"].size(), 2U);
  EXPECT_EQ(answer["data"][0]["embedding"], Json::parse("[3.0, 97.0, 1.0]"));
  EXPECT_FALSE(answer["data"][0].contains("truncated"));
  EXPECT_EQ(answer["data"][1]["index"], 1);
  EXPECT_EQ(answer["data"][1]["truncated"], true);
  EXPECT_EQ(answer["usage"]["prompt_tokens"], 24);
  EXPECT_EQ(answer["usage"]["total_tokens"], 24);
}

TEST(EncoderApi, WritesVectorsAsBase64AndCutsThemToTheDimensionsAskedFor) {
  FakeEncoderServer server;
  const Json text = server.embed({{"input", "abc"}, {"encoding_format", "base64"}})->json();
  EXPECT_EQ(text["data"][0]["embedding"], "AABAQAAAwkIAAIA/");  // 3, 97, 1
  const Json cut = server.embed({{"input", "abc"}, {"dimensions", 1}})->json();
  EXPECT_EQ(cut["data"][0]["embedding"], Json::parse("[1.0]"));
}

TEST(EncoderApi, GivesLabelsWithTheirProbabilities) {
  FakeEncoderServer server;
  const Json answer = server.classify({{"input", {"abc", "abcd"}}})->json();
  EXPECT_EQ(answer["data"][0]["label"], "short");
  EXPECT_EQ(answer["data"][1]["label"], "long");
  EXPECT_EQ(answer["data"][1]["score"], 0.75);
  EXPECT_EQ(answer["data"][1]["labels"][1]["label"], "short");
  server.encoders.summaries[0].is_regression = true;
  const Json regression = server.classify({{"input", "abcd"}})->json();
  EXPECT_EQ(regression["data"][0]["value"], 0.75);
  EXPECT_FALSE(regression["data"][0].contains("label"));
}

TEST(EncoderApi, GivesTheJobItsDeadlineAndItsModel) {
  FakeEncoderServer server;
  const auto exchange = server.embed({{"input", "a"}, {"pooling", "max"}, {"normalize", false}});
  EXPECT_EQ(server.encoders.last->model, "toy");
  EXPECT_EQ(server.encoders.last->options.pooling, "max");
  EXPECT_EQ(server.encoders.last->options.normalise, false);
  EXPECT_EQ(server.encoders.last->gone, exchange->gone_);
  EXPECT_LT(server.encoders.last->deadline, Clock::time_point::max());
}

TEST(EncoderApi, AnswersErrorsInTheFormatOfOpenAi) {
  FakeEncoderServer server;
  const auto unknown = server.embed({{"input", "a"}, {"model", "other"}});
  EXPECT_EQ(unknown->response.status, 404);
  EXPECT_EQ(message_of(*unknown), "there is no encoder 'other'; there is toy");
  server.encoders.error = std::make_exception_ptr(InvalidArgument("no such prompt"));
  const auto failed = server.embed({{"input", "a"}});
  EXPECT_EQ(failed->response.status, 400);
  EXPECT_EQ(message_of(*failed), "no such prompt");
  server.encoders.refusal = std::make_exception_ptr(HttpError(503, "too much", 2));
  EXPECT_EQ(server.embed({{"input", "a"}})->response.status, 503);
}

TEST(EncoderApi, IsTurnedAwayWhileItsQueueIsFull) {
  FakeEncoderServer server;
  EXPECT_FALSE(server.application.turn_away("POST", "/v1/embeddings"));
  server.encoders.full = true;
  ASSERT_TRUE(server.application.turn_away("POST", "/v1/embeddings"));
  EXPECT_EQ(server.application.turn_away("POST", "/v1/classify")->status, 503);
  EXPECT_FALSE(server.application.turn_away("POST", "/translate"));
}

TEST(EncoderApi, ListsItsModels) {
  FakeEncoderServer server;
  server.encoders.summaries.push_back(
      {.id = "eyes", .family = "vit", .d_model = 3, .context = 5, .labels = {"cat", "dog"}});
  server.encoders.summaries.push_back({.id = "vectors", .family = "bert", .vocabulary = 9});
  const Json data = server.get("/v1/models")->json()["data"];
  ASSERT_EQ(data.size(), 3U + server.service.models().size());
  const std::size_t first = server.service.models().size();
  EXPECT_EQ(data[first]["task"], "classification");
  EXPECT_EQ(data[first + 1]["task"], "image-classification");
  EXPECT_EQ(data[first + 1]["labels"], (Json{"cat", "dog"}));
  EXPECT_EQ(data[first + 2]["task"], "embedding");
}

}  // namespace
}  // namespace yona::testing
