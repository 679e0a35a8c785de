#include "yona/serve/streamed_text.h"

#include <gtest/gtest.h>

#include "tests/serve/fake_service.h"

namespace yona {
namespace {

using testing::FakeExchange;
using testing::FakeServer;

TEST(StreamedText, TellsTokensAndThenTheAnswer) {
  FakeServer server;
  const auto answer = server.post(
      "/v1/translate", {{"q", "hello"}, {"source", "en"}, {"target", "de"}, {"stream", true}});
  EXPECT_TRUE(answer->is_stream);
  EXPECT_TRUE(answer->has_ended);
  EXPECT_EQ(answer->response.content_type, "text/event-stream");
  const std::string& body = answer->response.body;
  EXPECT_TRUE(body.starts_with(
      "event: token\ndata: {\"index\":0,\"sentence\":0,\"token\":\"▁A\",\"text\":\"A\"}\n\n"))
      << body;
  EXPECT_NE(body.find("event: done\ndata: {\"translations\":[{\"text\":\"HELLO\""), body.npos);
}

TEST(StreamedText, AnswersAnErrorBeforeTheFirstTokenWithAStatus) {
  FakeServer server;
  server.service.error = std::make_exception_ptr(InvalidArgument("wrong"));
  const auto answer = server.post(
      "/v1/translate", {{"q", "hello"}, {"source", "en"}, {"target", "de"}, {"stream", true}});
  EXPECT_EQ(answer->response.status, 400);
  EXPECT_FALSE(answer->is_stream);
}

TEST(StreamedText, EndsAStreamThatFailsWithTheError) {
  const auto exchange = std::make_shared<FakeExchange>(serve::HttpRequest{});
  const auto texts = std::make_shared<const serve::Texts>(
      std::vector<std::string>{"One. Two."}, serve::Split::sentences, serve::ModelSummary{},
      serve::TextLimits{});
  serve::StreamedText stream(exchange, texts);
  stream.grow({.sentence = 1, .tokens = 1, .token = "▁Zwei", .text = "Zwei"});
  stream.fail(std::make_exception_ptr(serve::HttpError(504, "late")));
  EXPECT_EQ(exchange->answers, 1);
  EXPECT_TRUE(exchange->has_ended);
  EXPECT_TRUE(exchange->response.body.ends_with("event: error\ndata: {\"error\":\"late\"}\n\n"));
}

TEST(StreamedText, WritesOnlySomeTokensOfALongText) {
  const auto exchange = std::make_shared<FakeExchange>(serve::HttpRequest{});
  const std::string sentence(900, 'a');
  std::string text;
  for (int i = 0; i < 100; ++i) {
    text += sentence + "\n";
  }
  const auto texts =
      std::make_shared<const serve::Texts>(std::vector<std::string>{text}, serve::Split::lines,
                                           serve::ModelSummary{}, serve::TextLimits{});
  serve::StreamedText stream(exchange, texts);
  for (std::size_t i = 0; i < 100; ++i) {
    for (std::int64_t tokens = 1; tokens <= 90; ++tokens) {
      stream.grow({.sentence = i, .tokens = tokens, .token = "a", .text = sentence});
    }
  }
  EXPECT_LT(exchange->response.body.size(), 20 * text.size());
  EXPECT_GT(exchange->response.body.size(), 10 * text.size());
}

}  // namespace
}  // namespace yona
