#include "yona/serve/http_answer.h"

#include <gtest/gtest.h>

namespace yona {
namespace {

using serve::append_answer;

std::string answer(const serve::HttpResponse& response, const serve::AnswerFrame& frame = {}) {
  std::string bytes;
  append_answer(bytes, response, frame);
  return bytes;
}

TEST(HttpAnswer, IsHeadAndBody) {
  const std::string bytes = answer({.body = "{}"});
  EXPECT_TRUE(bytes.starts_with(
      "HTTP/1.1 200 OK\r\nServer: yona\r\nContent-Type: application/json\r\nDate: "));
  EXPECT_TRUE(bytes.ends_with(" GMT\r\nContent-Length: 2\r\n\r\n{}"));
}

TEST(HttpAnswer, HasTheDateAsTheStandardWritesIt) {
  EXPECT_EQ(serve::http_date(784111777), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(serve::http_date(0), "Thu, 01 Jan 1970 00:00:00 GMT");
}

TEST(HttpAnswer, HasTheLinesOfAllAnswersToo) {
  std::string bytes;
  append_answer(bytes, {}, {}, "X: y\r\n");
  EXPECT_NE(bytes.find("\r\nX: y\r\n"), bytes.npos);
  EXPECT_NE(serve::stream_head({}, "X: y\r\n").find("\r\nX: y\r\n"), std::string::npos);
}

TEST(HttpAnswer, WithoutContentHasNoLength) {
  EXPECT_EQ(answer({.status = 204}).find("Content-Length"), std::string::npos);
}

TEST(HttpAnswer, CarriesItsHeaders) {
  const std::string bytes = answer(serve::error_response(503, "full", 7));
  EXPECT_TRUE(bytes.starts_with("HTTP/1.1 503 Service Unavailable\r\n"));
  EXPECT_NE(bytes.find("\r\nRetry-After: 7\r\n"), bytes.npos);
}

TEST(HttpAnswer, SaysWhetherTheConnectionStaysWhereThatIsNotUsual) {
  EXPECT_EQ(answer({}).find("Connection"), std::string::npos);
  EXPECT_NE(answer({}, {.keeps_alive = false}).find("\r\nConnection: close\r\n"),
            std::string::npos);
  const std::string old = answer({}, {.is_http_1_0 = true, .keeps_alive = true});
  EXPECT_TRUE(old.starts_with("HTTP/1.0 200 OK\r\n"));
  EXPECT_NE(old.find("\r\nConnection: keep-alive\r\n"), old.npos);
  EXPECT_EQ(answer({}, {.is_http_1_0 = true, .keeps_alive = false}).find("Connection"),
            std::string::npos);
}

TEST(HttpAnswer, ToHeadHasNoBodyButItsLength) {
  const std::string bytes = answer({.body = "hello"}, {.has_only_head = true});
  EXPECT_TRUE(bytes.ends_with("Content-Length: 5\r\n\r\n")) << bytes;
}

TEST(HttpAnswer, CountsWhatFollowsItsBody) {
  const std::string bytes = answer({.body = "hello", .rest = std::string(100'000, 'x')});
  EXPECT_TRUE(bytes.ends_with("Content-Length: 100005\r\n\r\nhello")) << bytes;
}

TEST(HttpAnswer, NamesStatusesThatNobodyKnows) {
  EXPECT_TRUE(answer({.status = 499}).starts_with("HTTP/1.1 499 "));
}

TEST(HttpAnswer, OfAStreamEndsWithTheConnection) {
  const std::string head = serve::stream_head({.content_type = "text/event-stream", .body = "x"});
  EXPECT_EQ(head.find("Content-Length"), head.npos);
  EXPECT_TRUE(head.ends_with("Connection: close\r\n\r\nx"));
}

}  // namespace
}  // namespace yona
