#include "yona/serve/router.h"

#include <gtest/gtest.h>

#include "yona/serve/http_answer.h"

#include "tests/serve/fake_service.h"

namespace yona {
namespace {

using serve::Exchange;
using serve::Router;
using testing::FakeExchange;

Router small_router() {
  Router router;
  const auto say = [](const std::string& text) {
    return [text](const std::shared_ptr<Exchange>& exchange) { exchange->respond({.body = text}); };
  };
  router.add({.method = "GET", .path = "/a", .summary = "", .handler = say("get a")});
  router.add({.method = "POST", .path = "/a", .summary = "", .handler = say("post a")});
  router.add({.method = "GET", .path = "/files/*", .summary = "", .handler = say("file")});
  router.add({.method = "GET", .path = "/throws", .summary = "", .handler = [](const auto&) {
                throw serve::HttpError(429, "slow down", 7);
              }});
  return router;
}

std::shared_ptr<FakeExchange> ask(const std::string& method, const std::string& path) {
  auto exchange =
      std::make_shared<FakeExchange>(serve::HttpRequest{.method = method, .path = path});
  small_router().handle(exchange);
  return exchange;
}

TEST(Router, FindsRoutesByMethodAndPath) {
  EXPECT_EQ(ask("GET", "/a")->response.body, "get a");
  EXPECT_EQ(ask("POST", "/a")->response.body, "post a");
  EXPECT_EQ(ask("GET", "/files/x/y")->response.body, "file");
  EXPECT_EQ(ask("GET", "/files/")->response.body, "file");
}

TEST(Router, SaysWhatIsNotThere) {
  const auto answer = ask("GET", "/b");
  EXPECT_EQ(answer->response.status, 404);
  EXPECT_EQ(answer->error(), "there is no /b; /openapi.json lists what there is");
  EXPECT_EQ(ask("GET", "/files")->response.status, 404);
}

TEST(Router, SaysWhichMethodsThereAre) {
  const auto answer = ask("DELETE", "/a");
  EXPECT_EQ(answer->response.status, 405);
  EXPECT_EQ(answer->response.headers.front(),
            (std::pair<std::string, std::string>("Allow", "GET, POST")));
}

TEST(Router, AnswersOptionsWithTheMethods) {
  const auto answer = ask("OPTIONS", "/a");
  EXPECT_EQ(answer->response.status, 204);
  EXPECT_EQ(serve::lines_of(answer->response.headers),
            "Allow: GET, POST\r\nAccess-Control-Allow-Methods: GET, POST\r\n"
            "Access-Control-Allow-Headers: Authorization, Content-Type, X-Api-Key\r\n"
            "Access-Control-Max-Age: 86400\r\n");
  EXPECT_EQ(ask("OPTIONS", "/b")->response.status, 404);
}

TEST(Router, AnswersWhatAHandlerThrows) {
  const auto answer = ask("GET", "/throws");
  EXPECT_EQ(answer->response.status, 429);
  EXPECT_EQ(answer->response.headers.front(),
            (std::pair<std::string, std::string>("Retry-After", "7")));
}

}  // namespace
}  // namespace yona
