#include "yona/serve/application.h"

#include <gtest/gtest.h>

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
      EXPECT_EQ(server.post(route.path, Json::object())->response.status, 400) << route.path;
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

}  // namespace
}  // namespace yona
