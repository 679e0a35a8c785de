#include "yona/serve/http_server.h"

#include <atomic>
#include <mutex>
#include <optional>
#include <thread>
#include <tuple>

#include <gtest/gtest.h>

#include "yona/base/timing.h"

#include "tests/serve/running_server.h"

namespace yona {
namespace {

using serve::Exchange;
using serve::HttpServer;
using serve::HttpServerOptions;
using std::chrono::milliseconds;
using testing::Answer;
using testing::Client;
using testing::echo;
using testing::RunningServer;

// Keeps requests until the test answers them.
class Held {
 public:
  HttpServer::Handler handler() {
    return [this](const std::shared_ptr<Exchange>& exchange) {
      const std::scoped_lock lock(mutex_);
      held_.push_back(exchange);
    };
  }
  std::shared_ptr<Exchange> take() {
    for (int i = 0; i < 2000; ++i) {
      {
        const std::scoped_lock lock(mutex_);
        if (!held_.empty()) {
          auto exchange = held_.front();
          held_.erase(held_.begin());
          return exchange;
        }
      }
      std::this_thread::sleep_for(milliseconds(5));
    }
    return nullptr;
  }

 private:
  std::mutex mutex_;
  std::vector<std::shared_ptr<Exchange>> held_;
};

template <class Condition>
bool comes_true(const Condition& condition) {
  for (int i = 0; i < 2000; ++i) {
    if (condition()) {
      return true;
    }
    std::this_thread::sleep_for(milliseconds(5));
  }
  return false;
}

TEST(HttpServer, ReadsARequestAndWritesItsAnswer) {
  RunningServer server(echo);
  Client client(server.port());
  const Answer answer = client.post("/a%20b?x=1", "hello", "Application/JSON; charset=utf-8");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.json(), Json({{"method", "POST"},
                                 {"path", "/a b"},
                                 {"query", "x=1"},
                                 {"type", "application/json"},
                                 {"client", "127.0.0.1"},
                                 {"body", "hello"}}));
}

TEST(HttpServer, KeepsAConnectionForManyRequests) {
  RunningServer server(echo);
  Client client(server.port());
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(client.post("/", std::to_string(i)).json()["body"], std::to_string(i));
  }
  EXPECT_EQ(server.server().connections(), 1U);
}

TEST(HttpServer, AnswersPipelinedRequestsInOrder) {
  RunningServer server(echo);
  Client client(server.port());
  client.send(Client::post_text("/", "first") + Client::post_text("/", "second") +
              Client::post_text("/", "third"));
  EXPECT_EQ(client.read().json()["body"], "first");
  EXPECT_EQ(client.read().json()["body"], "second");
  EXPECT_EQ(client.read().json()["body"], "third");
}

TEST(HttpServer, ReadsChunkedBodies) {
  RunningServer server(echo);
  Client client(server.port());
  client.send(
      "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
      "5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n");
  EXPECT_EQ(client.read().json()["body"], "hello world");
}

TEST(HttpServer, SaysContinueToThoseWhoAskFirst) {
  RunningServer server(echo);
  Client client(server.port());
  client.send(
      "POST / HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 2\r\n"
      "\r\n");
  EXPECT_EQ(client.read_head().status, 100);
  client.send("ab");
  EXPECT_EQ(client.read().json()["body"], "ab");
  // A client that does not wait needs no answer.
  client.send(
      "POST / HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\ncd");
  EXPECT_EQ(client.read().json()["body"], "cd");
}

TEST(HttpServer, ClosesAfterAnAnswerWhereTheClientAsksForIt) {
  RunningServer server(echo);
  Client client(server.port());
  client.send("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(client.read().status, 200);
  EXPECT_TRUE(client.is_at_end());
}

TEST(HttpServer, RefusesABodyThatIsTooLarge) {
  HttpServerOptions options;
  options.limits.body_bytes = 1000;
  RunningServer server(echo, options);
  Client client(server.port());
  const Answer answer = client.post("/", std::string(200'000, 'x'));
  EXPECT_EQ(answer.status, 413);
  EXPECT_EQ(answer.error(), "the body is larger than the 1000 bytes that are allowed");
  EXPECT_EQ(Client(server.port()).post("/", std::string(1000, 'x')).status, 200);
}

TEST(HttpServer, RefusesAHeaderThatIsTooLarge) {
  RunningServer server(echo);
  Client client(server.port());
  client.send("GET / HTTP/1.1\r\nHost: localhost\r\nX: " + std::string(40'000, 'x') + "\r\n\r\n");
  EXPECT_EQ(client.read().status, 431);
}

TEST(HttpServer, RefusesWhatIsNoHttp) {
  RunningServer server(echo);
  for (const std::string text :
       {"hello there\r\n\r\n", "GET /\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -5\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999999999999999\r\n\r\n"}) {
    Client client(server.port());
    client.send(text);
    const Answer answer = client.read();
    EXPECT_EQ(answer.status, 400) << text;
    EXPECT_NE(answer.error().find("malformed HTTP request: "), std::string::npos) << text;
  }
  EXPECT_EQ(Client(server.port()).get("/").status, 200);
}

// Sends `piece` until the server has had enough of it, at most `most` bytes; gives the bytes sent.
std::size_t send_for_ever(Client& client, const std::string& piece, std::size_t most) {
  std::size_t sent = 0;
  while (sent < most && client.send(piece)) {
    sent += piece.size();
  }
  return sent;
}

// What never ends is refused after a bounded number of bytes, whatever it is counted as; the kernel
// buffers some of it.
TEST(HttpServer, RefusesWhatNeverEnds) {
  constexpr std::size_t kMost = 64 << 20;
  const std::string head = "POST / HTTP/1.1\r\nHost: localhost\r\n";
  const std::string chunked = head + "Transfer-Encoding: chunked\r\n\r\n";
  const std::string piece(8192, 'a');
  const std::vector<std::tuple<std::string, std::string, int>> cases{
      {"GET /", piece, 431},
      {head + "X: ", piece, 431},
      {head, "X: " + piece + "\r\n", 431},
      {head, "X: y\r\n", 431},
      {chunked + "5;", piece, 431},
      {chunked, "1;" + piece + "\r\na\r\n", 431},
      {chunked + "0\r\n", "X: " + piece + "\r\n", 431},
      {chunked + "0\r\nX: ", piece, 431},
      {chunked + "0\r\n", "X: y\r\n", 431},
      {chunked, "1000\r\n" + std::string(4096, 'a') + "\r\n", 413},
      {chunked, "1\r\na\r\n", 413},
      {chunked, piece, 431},
      {head + "Content-Length: 1048577\r\n\r\n", piece, 413}};
  RunningServer server(echo);
  for (const auto& [start, more, status] : cases) {
    Client client(server.port());
    client.send(start);
    EXPECT_LT(send_for_ever(client, more, kMost), kMost) << start;
    const int got = client.read().status;  // 0: the answer was lost with the connection
    EXPECT_TRUE(got == status || got == 0) << start << more.substr(0, 20) << ": " << got;
  }
  EXPECT_EQ(Client(server.port()).get("/").status, 200);
}

// Requests that come while one is being answered wait in the kernel, not here.
TEST(HttpServer, ReadsNoMoreThanAPieceWhileAnAnswerIsBeingMade) {
  Held held;
  RunningServer server(held.handler());
  Client client(server.port());
  client.send("GET /first HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const auto exchange = held.take();
  client.set_patience(std::chrono::milliseconds(300));
  constexpr std::size_t kMost = 64 << 20;
  EXPECT_LT(send_for_ever(client, std::string(65536, 'a'), kMost), kMost);  // it blocks
  exchange->respond({});
}

TEST(HttpServer, ClosesConnectionsThatSendTooSlowly) {
  HttpServerOptions options;
  options.limits.read = milliseconds(200);
  RunningServer server(echo, options);
  Client client(server.port());
  const auto start = Clock::now();
  client.send("POST / HTTP/1.1\r\n");
  for (int i = 0; i < 100 && client.send("X: 1\r\n"); ++i) {  // a byte at a time keeps nothing open
    std::this_thread::sleep_for(milliseconds(20));
  }
  EXPECT_TRUE(client.is_at_end());
  EXPECT_LT(seconds_since(start), 5.0);
  EXPECT_TRUE(comes_true([&] { return server.server().connections() == 0; }));
}

TEST(HttpServer, ClosesConnectionsThatSayNothing) {
  HttpServerOptions options;
  options.limits.idle = milliseconds(100);
  RunningServer server(echo, options);
  Client client(server.port());
  EXPECT_TRUE(client.is_at_end());
  Client second(server.port());
  EXPECT_EQ(second.get("/").status, 200);
  EXPECT_TRUE(second.is_at_end());
}

TEST(HttpServer, DoesNotCloseWhileAnAnswerIsBeingMade) {
  HttpServerOptions options;
  options.limits.idle = options.limits.read = options.limits.write = milliseconds(100);
  Held held;
  RunningServer server(held.handler(), options);
  Client client(server.port());
  client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const auto exchange = held.take();
  std::this_thread::sleep_for(milliseconds(400));
  exchange->respond(serve::json_response({{"late", true}}));
  EXPECT_EQ(client.read().status, 200);
}

TEST(HttpServer, NoticesThatAClientHasGone) {
  Held held;
  RunningServer server(held.handler());
  Client client(server.port());
  client.send(Client::post_text("/", "hello"));
  const auto exchange = held.take();
  ASSERT_NE(exchange, nullptr);
  EXPECT_FALSE(exchange->gone()->load());
  client.close();
  EXPECT_TRUE(comes_true([&] { return exchange->gone()->load(); }));
  exchange->respond({});  // does nothing
}

TEST(HttpServer, TellsThoseBeyondTheLastConnectionSo) {
  HttpServerOptions options;
  options.limits.connections = 2;
  RunningServer server(echo, options);
  Client first(server.port());
  Client second(server.port());
  ASSERT_EQ(first.get("/").status, 200);
  ASSERT_EQ(second.get("/").status, 200);
  Client third(server.port());
  const Answer answer = third.read();
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.headers.at("retry-after"), "1");
  EXPECT_EQ(answer.error(), "the server has no connection left");
  first.close();
  EXPECT_TRUE(comes_true([&] { return Client(server.port()).get("/").status == 200; }));
}

// Refuses whatever goes to /full.
const serve::HttpResponse* turnstile(std::string_view /*method*/, std::string_view path) {
  static const serve::HttpResponse refusal = serve::error_response(503, "full", 1);
  return path == "/full" ? &refusal : nullptr;
}

TEST(HttpServer, RefusesAtTheTurnstileAndKeepsTheConnection) {
  RunningServer server(echo, {}, turnstile);
  Client client(server.port());
  for (int i = 0; i < 3; ++i) {
    const Answer refused = client.post("/full?x", std::string("some body"));
    EXPECT_EQ(refused.status, 503);
    EXPECT_EQ(refused.headers.at("retry-after"), "1");
    EXPECT_EQ(client.post("/", std::string("other")).json()["body"], "other");
  }
  client.send(Client::post_text("/full", "a") + Client::post_text("/", "b"));
  EXPECT_EQ(client.read().status, 503);
  EXPECT_EQ(client.read().json()["body"], "b");
}

TEST(HttpServer, DoesNotWaitForTheBodyOfWhatItRefuses) {
  RunningServer server(echo, {}, turnstile);
  Client client(server.port());
  client.send("POST /full HTTP/1.1\r\nHost: localhost\r\nContent-Length: 500000\r\n\r\n");
  const Answer answer = client.read();
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.headers.at("connection"), "close");
  EXPECT_TRUE(client.is_at_end());
}

TEST(HttpServer, AnswersHeadWithoutABody) {
  RunningServer server(echo);
  Client client(server.port());
  client.send(
      "HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\nGET /second HTTP/1.1\r\nHost: "
      "localhost\r\nConnection: close\r\n\r\n");
  const Answer head = client.read_head();
  EXPECT_EQ(head.status, 200);
  EXPECT_NE(head.headers.at("content-length"), "0");
  EXPECT_EQ(client.read().json()["path"], "/second");
}

TEST(HttpServer, WritesALargeAnswerInItsPieces) {
  std::string all = "begin ";
  TextPieces rest;
  for (int i = 0; all.size() < (12U << 20U); ++i) {
    const std::string line = std::to_string(i) + " is a line\n";
    rest.append(line);
    all += line;
  }
  RunningServer server([&](const std::shared_ptr<Exchange>& exchange) {
    exchange->respond({.content_type = "text/plain", .body = "begin ", .rest = rest});
  });
  Client client(server.port());
  for (int i = 0; i < 2; ++i) {  // and the connection stays
    const Answer answer = client.get("/");
    EXPECT_EQ(answer.status, 200);
    EXPECT_TRUE(answer.body == all);
  }
  client.send("HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(client.read_head().headers.at("content-length"), std::to_string(all.size()));
  EXPECT_TRUE(client.get("/").body == all);
}

TEST(HttpServer, AnswersWith500WhereAHandlerThrows) {
  RunningServer server(
      [](const std::shared_ptr<Exchange>&) { throw std::runtime_error("secret"); });
  Client client(server.port());
  const Answer answer = client.get("/");
  EXPECT_EQ(answer.status, 500);
  EXPECT_EQ(answer.body.find("secret"), std::string::npos);
  EXPECT_EQ(client.get("/").status, 500);  // and goes on
}

TEST(HttpServer, StreamsWhatIsWrittenBitByBit) {
  Held held;
  RunningServer server(held.handler());
  Client client(server.port());
  client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const auto exchange = held.take();
  exchange->begin_stream({.content_type = "text/event-stream"});
  for (int i = 0; i < 100; ++i) {
    exchange->write(serve::server_sent_event("token", {{"i", i}}));
  }
  exchange->end_stream();
  const Answer answer = client.read();
  EXPECT_EQ(answer.headers.at("content-type"), "text/event-stream");
  EXPECT_TRUE(answer.body.starts_with("event: token\ndata: {\"i\":0}\n\n"));
  EXPECT_TRUE(answer.body.ends_with("event: token\ndata: {\"i\":99}\n\n"));
}

TEST(HttpServer, AnswersHeadOfAStreamWithoutABody) {
  Held held;
  RunningServer server(held.handler());
  Client client(server.port());
  client.send("HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const auto exchange = held.take();
  exchange->begin_stream({.content_type = "text/event-stream", .body = "first"});
  exchange->write(std::string("second"));
  const Answer head = client.read_head();
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.headers.at("content-type"), "text/event-stream");
  EXPECT_TRUE(client.is_at_end());  // although the stream has not ended
  EXPECT_TRUE(comes_true([&] { return exchange->gone()->load(); }));
  exchange->write(std::string("third"));
  exchange->end_stream();
}

TEST(HttpServer, StreamsAPartOfManyMegabytes) {
  Held held;
  RunningServer server(held.handler());
  Client client(server.port());
  client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const auto exchange = held.take();
  exchange->begin_stream({.content_type = "text/event-stream"});
  TextPieces part;
  while (part.bytes() < (9U << 20U)) {
    part.add(std::string(TextPieces::kPieceBytes, 'x'));
  }
  exchange->write(part);
  exchange->end_stream();
  EXPECT_TRUE(client.read().body == part.joined());
}

TEST(HttpServer, LetsGoOfAStreamsReaderWhoDoesNotRead) {
  Held held;
  RunningServer server(held.handler());
  Client client(server.port());
  client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const auto exchange = held.take();
  exchange->begin_stream({.content_type = "text/event-stream"});
  const std::string part(1 << 20, 'x');
  for (int i = 0; i < 64 && !exchange->gone()->load(); ++i) {
    exchange->write(part);
    std::this_thread::sleep_for(milliseconds(2));
  }
  EXPECT_TRUE(comes_true([&] { return exchange->gone()->load(); }));
}

TEST(HttpServer, StopsOnceWhatItHasReadIsAnswered) {
  Held held;
  RunningServer server(held.handler());
  Client idle(server.port());
  Client busy(server.port());
  busy.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const auto exchange = held.take();
  std::thread answer_later([&] {
    std::this_thread::sleep_for(milliseconds(200));
    exchange->respond(serve::json_response({{"done", true}}));
  });
  server.server().stop(std::chrono::seconds(10));
  EXPECT_TRUE(idle.is_at_end());
  const Answer answer = busy.read();
  answer_later.join();
  EXPECT_EQ(answer.json(), Json({{"done", true}}));
  EXPECT_EQ(answer.headers.at("connection"), "close");
  EXPECT_FALSE(Client(server.port()).is_open());
}

TEST(HttpServer, DoesNotWaitForEverWhenStopping) {
  Held held;
  RunningServer server(held.handler());
  Client client(server.port());
  client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  auto exchange = held.take();
  server.server().stop(milliseconds(100));
  EXPECT_TRUE(comes_true([&] { return exchange->gone()->load(); }));
  EXPECT_EQ(client.read().status, 0);
  exchange.reset();
  server.stop();
}

}  // namespace
}  // namespace yona
