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

const Json& texts_of_two_languages() {
  static const Json texts{"The committee will meet again on Monday to discuss the proposals.",
                          "La commission se réunira de nouveau lundi pour en discuter."};
  return texts;
}

TEST(NativeApi, CountsTheSentencesOfAllModelsOfAList) {
  for (const std::int64_t most : {1, 2}) {
    FakeServer server({.sentences = most});
    server.service.summaries.push_back(
        {.id = "fr-de", .source = "fr", .target = "de", .family = "yona"});
    for (const char* path : {"/v1/translate", "/translate"}) {
      const auto answer = server.post(
          path, {{"q", texts_of_two_languages()}, {"source", "auto"}, {"target", "de"}});
      EXPECT_EQ(answer->response.status, most == 1 ? 400 : 200) << path;
      EXPECT_EQ(server.service.last == nullptr, most == 1);  // nothing was begun
    }
  }
}

// A service that takes the first part of a request and refuses the second.
class RefusingService : public testing::FakeService {
 public:
  void submit(std::shared_ptr<serve::TranslationJob> job) override {
    jobs.push_back(job);
    if (jobs.size() == 2) {
      throw serve::HttpError(503, "busy", 1);
    }
  }
  std::vector<std::shared_ptr<serve::TranslationJob>> jobs;
};

TEST(NativeApi, CancelsThePartsOfAListOfWhichOneIsRefused) {
  for (const char* path : {"/v1/translate", "/translate"}) {
    RefusingService service;
    service.summaries.push_back({.id = "fr-de", .source = "fr", .target = "de", .family = "yona"});
    serve::ApiKeys keys;
    serve::Application application({.service = service, .keys = keys}, "",
                                   [] { return std::string(); });
    const Json body{{"q", texts_of_two_languages()}, {"source", "auto"}, {"target", "de"}};
    const auto exchange = std::make_shared<testing::FakeExchange>(serve::HttpRequest{
        .method = "POST", .path = path, .content_type = "application/json", .body = body.dump()});
    application.handle(exchange);
    EXPECT_EQ(exchange->response.status, 503) << path;
    ASSERT_EQ(service.jobs.size(), 2U);
    EXPECT_TRUE(service.jobs.front()->is_gone()) << path;
    service.jobs.front()->finish(0, {.n_best = {{.text = "x"}}});
    EXPECT_EQ(exchange->answers, 1);
  }
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
