#include "yona/serve/native_api.h"

#include <gtest/gtest.h>

#include "tests/serve/fake_service.h"

namespace yona {
namespace {

using testing::FakeServer;

TEST(NativeApi, TranslatesEachTextOfAListByItsOwnLanguage) {
  FakeServer server;
  server.service.summaries.push_back(
      {.id = "fr-de", .source = "fr", .target = "de", .family = "yona"});
  const Json answer =
      server
          .post("/v1/translate",
                {{"q",
                  {"The committee will meet again on Monday to discuss the proposals.",
                   "La commission se réunira de nouveau lundi pour en discuter."}},
                 {"target", "de"}})
          ->json();
  ASSERT_EQ(answer["translations"].size(), 2U);
  EXPECT_EQ(answer["translations"][0]["model"], "en-de");
  EXPECT_EQ(answer["translations"][1]["model"], "fr-de");
  EXPECT_TRUE(answer["translations"][0]["text"].get<std::string>().starts_with("THE COMMITTEE"));
  EXPECT_FALSE(answer.contains("model"));
}

TEST(NativeApi, ListsItsModels) {
  FakeServer server;
  const Json models = server.get("/v1/models")->json()["models"];
  ASSERT_EQ(models.size(), 3U);
  EXPECT_EQ(models[0], Json({{"id", "en-de"},
                             {"source", "en"},
                             {"target", "de"},
                             {"loaded", false},
                             {"layers", 2},
                             {"heads", 4},
                             {"d_model", 64},
                             {"vocabulary", 100},
                             {"family", "yona"}}));
}

TEST(NativeApi, AnswersBlankTextsAtOnce) {
  FakeServer server;
  const auto answer =
      server.post("/v1/translate", {{"q", {"", " \n"}}, {"source", "en"}, {"target", "de"}});
  EXPECT_EQ(answer->json()["translations"][1]["text"], " \n");
  EXPECT_EQ(server.service.last, nullptr);
}

TEST(NativeApi, PassesTasksOn) {
  FakeServer server;
  const auto answer =
      server.post("/v1/beam", {{"q", "a"}, {"source", "en"}, {"target", "de"}, {"beam", 3}});
  EXPECT_EQ(answer->json()["task"], "beam");
  EXPECT_EQ(answer->json()["request"]["beam"], 3);
  const auto explained = server.post("/v1/explain", {{"q", "a"}, {"model", "en-de"}, {"layer", 0}});
  EXPECT_EQ(explained->json()["task"], "explain");
  EXPECT_EQ(server.post("/v1/explain", {{"q", "a"}, {"stack", "x"}})->response.status, 400);
}

}  // namespace
}  // namespace yona
