#include "yona/serve/native_request.h"

#include <gtest/gtest.h>

#include "tests/serve/fake_service.h"

namespace yona {
namespace {

using testing::FakeServer;

TEST(NativeRequest, ChecksEveryNumber) {
  FakeServer server;
  const std::vector<std::pair<std::string, Json>> wrong = {
      {"beam", 0},
      {"beam", 65},
      {"beam", 2.5},
      {"beam", "4"},
      {"n_best", 0},
      {"n_best", 65},
      {"max_length", 0},
      {"max_length", 5000},
      {"max_length", -1},
      {"length_penalty", 11},
      {"length_penalty", -11},
      {"length_penalty", "x"},
      {"deadline", 0},
      {"deadline", 1e9},
      {"beam", Json::parse("18446744073709551615")}};
  for (const auto& [field, value] : wrong) {
    const auto answer = server.post(
        "/v1/translate", {{"q", "a"}, {"source", "en"}, {"target", "de"}, {field, value}});
    EXPECT_EQ(answer->response.status, 400) << field << " " << value;
    EXPECT_NE(answer->error().find('"' + field + '"'), std::string::npos) << answer->error();
  }
}

TEST(NativeRequest, RefusesFieldsThatItDoesNotKnow) {
  FakeServer server;
  const auto answer =
      server.post("/v1/translate", {{"q", "a"}, {"source", "en"}, {"target", "de"}, {"bean", 4}});
  EXPECT_EQ(answer->response.status, 400);
  EXPECT_EQ(answer->error(), "there is no field \"bean\"; did you mean \"beam\"?");
}

TEST(NativeRequest, RefusesWhatDoesNotGoTogether) {
  FakeServer server;
  const auto error = [&](const Json& more) {
    Json request{{"q", {"a", "b"}}, {"source", "en"}, {"target", "de"}};
    request.update(more);
    const auto answer = server.post("/v1/translate", request);
    return answer->response.status == 400 ? answer->error() : "";
  };
  EXPECT_EQ(error({{"stream", true}}), "\"stream\": one text at a time; give \"q\" as a text");
  EXPECT_EQ(error({{"prefix", "x"}}), "\"prefix\": belongs to one text; give \"q\" as a text");
  EXPECT_NE(error({{"glossary", {{{"source", "x"}}}}}), "");
  EXPECT_NE(error({{"glossary", {{{"keep", "x"}, {"source", "y"}}}}}), "");
  EXPECT_EQ(error({{"glossary", {{{"keep", ""}}}}}), "\"glossary\": a term is empty");
  EXPECT_NE(error({{"glossary", {1}}}), "");
}

TEST(NativeRequest, SaysWhichModelsThereAre) {
  FakeServer server;
  const auto named = server.post("/v1/translate", {{"q", "a"}, {"model", "x"}});
  EXPECT_EQ(named->response.status, 404);
  EXPECT_EQ(named->error(), "there is no model 'x'; there is en-de, de-en, en-zh");
  EXPECT_EQ(server.post("/v1/translate", {{"q", "a"}})->response.status, 400);
}

TEST(NativeRequest, PassesATermOnToTheJob) {
  FakeServer server;
  server.post("/v1/translate",
              {{"q", "a"},
               {"source", "en"},
               {"target", "de"},
               {"glossary", {{{"keep", "yona"}}, {{"source", "dog"}, {"target", "Hund"}}}}});
  const auto& terms = server.service.last->glossary;
  ASSERT_EQ(terms.size(), 2U);
  EXPECT_EQ(terms[0].source + terms[0].target, "yonayona");
  EXPECT_EQ(terms[1].target, "Hund");
}

}  // namespace
}  // namespace yona
