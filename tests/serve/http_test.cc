#include "yona/serve/http.h"

#include <gtest/gtest.h>

#include "yona/base/preemption.h"

namespace yona {
namespace {

using serve::response_of;

template <class E, class... Args>
serve::HttpResponse response_to(Args&&... args) {
  return response_of(std::make_exception_ptr(E(std::forward<Args>(args)...)));
}

TEST(Http, AnswersEachKindOfErrorWithItsStatus) {
  EXPECT_EQ(response_to<InvalidArgument>("x").status, 400);
  EXPECT_EQ(response_to<FormatError>("x").status, 400);
  EXPECT_EQ(response_to<NotImplemented>("x").status, 501);
  EXPECT_EQ(response_to<IoError>("x").status, 500);
  EXPECT_EQ(response_to<std::bad_alloc>().status, 500);
  EXPECT_EQ(response_to<serve::HttpError>(418, "x").status, 418);
  EXPECT_EQ(response_to<InvalidArgument>("a \"b\"").body, "{\"error\":\"a \\\"b\\\"\"}\n");
}

TEST(Http, TellsNothingOfWhatHappenedInside) {
  EXPECT_EQ(response_to<IoError>("/etc/secret").body.find("secret"), std::string::npos);
}

TEST(Http, WritesBytesThatAreNoUtf8AsSuch) {
  EXPECT_EQ(serve::error_response(400, "a\xff").body, "{\"error\":\"a\xEF\xBF\xBD\"}\n");
}

TEST(Http, WritesLargeJsonPieceByPiece) {
  Json json{{"a", Json::array()}, {"b\xff", {{"c", nullptr}}}, {"d", Json::object()}, {"e", 0.5}};
  for (int i = 0; i < 20'000; ++i) {
    json["a"].push_back({{"i", i}, {"x", {1, "two", {3}}}});
  }
  serve::HttpResponse response = serve::large_json_response(json);
  EXPECT_GT(response.rest.pieces().size(), 5U);
  EXPECT_EQ(response.body + response.rest.joined(), serve::json_response(json).body);
}

TEST(Http, CanBePreemptedWhileItWritesLargeJson) {
  int points = 0;
  const PreemptionScope::Hook hook = [&] { ++points; };
  const PreemptionScope scope(&hook);
  serve::large_json_response({{"rows", Json(std::vector<Json>(100, Json::array({1, 2})))}});
  EXPECT_GE(points, 100);
}

TEST(Http, WritesServerSentEvents) {
  EXPECT_EQ(serve::server_sent_event("token", {{"a", "line\nbreak"}}),
            "event: token\ndata: {\"a\":\"line\\nbreak\"}\n\n");
}

}  // namespace
}  // namespace yona
