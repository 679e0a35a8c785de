#include "yona/serve/application.h"

#include <gtest/gtest.h>

#include "tests/serve/fake_generation.h"
#include "tests/serve/fake_service.h"

namespace yona {
namespace {

using testing::FakeServer;

TEST(Application, AnswersEachOfItsRoutes) {
  FakeServer server;
  for (const serve::Route& route : server.application.router().routes()) {
    if (route.method == "GET" && !route.path.ends_with("*")) {
      EXPECT_EQ(server.get(route.path)->response.status, 200) << route.path;
    } else if (route.method == "POST") {
      const int expected = route.path == "/suggest" ? 403 : 400;  // it is off
      EXPECT_EQ(server.post(route.path, Json::object())->response.status, expected) << route.path;
    }
  }
}

TEST(Application, AnswersExactlyOnceWhateverIsAsked) {
  FakeServer server;
  for (const char* method : {"GET", "POST", "PUT", "OPTIONS", ""}) {
    for (const char* path : {"/", "/translate", "/v1/translate", "/page/", "/page/x", "", "//"}) {
      EXPECT_EQ(server.ask({.method = method, .path = path})->answers, 1) << method << " " << path;
    }
  }
}

TEST(Application, TurnsAwayWhatWouldQueueWhileTheQueueIsFull) {
  FakeServer server;
  EXPECT_FALSE(server.application.turn_away("POST", "/translate"));
  server.service.full = true;
  for (const char* path : {"/translate", "/v1/translate", "/v1/beam", "/v1/explain"}) {
    const auto refusal = server.application.turn_away("POST", path);
    ASSERT_TRUE(refusal) << path;
    EXPECT_EQ(refusal->status, 503);
    EXPECT_EQ(refusal->headers.front(), std::pair(std::string("Retry-After"), std::string("1")));
    EXPECT_EQ(Json::parse(refusal->body)["error"], "the server is overloaded; try again in 1 s");
  }
  for (const char* path : {"/health", "/metrics", "/", "/nothing"}) {
    EXPECT_FALSE(server.application.turn_away("GET", path)) << path;
  }
  EXPECT_FALSE(server.application.turn_away("GET", "/translate"));
  EXPECT_NE(
      server.get("/metrics")
          ->response.body.find("yona_requests_total{route=\"/translate\",status=\"503\"} 1\n"),
      std::string::npos);
}

// The model's name is in the body, which is not read yet.
TEST(Application, ExplainsPromptsWhileOnlyTheTranslationQueueIsFull) {
  testing::FakeGenerationServer server;
  server.service.full = true;
  EXPECT_TRUE(server.application.turn_away("POST", "/v1/translate"));
  EXPECT_FALSE(server.application.turn_away("POST", "/v1/explain"));
  server.generation.full = true;
  const auto* refusal = server.application.turn_away("POST", "/v1/explain");
  ASSERT_TRUE(refusal);
  EXPECT_EQ(Json::parse(refusal->body)["error"], "the server is overloaded; try again in 1 s");
  server.service.full = false;
  EXPECT_FALSE(server.application.turn_away("POST", "/v1/explain"));
}

}  // namespace
}  // namespace yona
