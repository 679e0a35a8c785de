#include "yona/serve/native_api.h"

#include <gtest/gtest.h>

#include "tests/serve/fake_service.h"

namespace yona {
namespace {

using testing::FakeServer;

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

TEST(NativeApi, GivesTextAndTokens) {
  FakeServer server;
  const auto answer = server.post("/v1/translate", {{"q", "two dogs"}, {"model", "en-de"}});
  EXPECT_EQ(answer->response.status, 200);
  const Json translation = answer->json()["translations"][0];
  EXPECT_EQ(translation["text"], "TWO DOGS");
  EXPECT_EQ(translation["source_tokens"], Json({"▁a", "</s>"}));
  EXPECT_FALSE(translation.contains("score"));
  EXPECT_FALSE(translation.contains("alignment"));
  EXPECT_EQ(answer->json()["model"], "en-de");
}

TEST(NativeApi, GivesWhatIsAskedFor) {
  FakeServer server;
  const auto answer = server.post("/v1/translate", {{"q", "a"},
                                                    {"source", "en"},
                                                    {"target", "de"},
                                                    {"beam", 8},
                                                    {"n_best", 3},
                                                    {"length_penalty", 1.5},
                                                    {"max_length", 20},
                                                    {"prefix", "Ein"},
                                                    {"scores", true},
                                                    {"alignments", true},
                                                    {"attention", true}});
  const Json translation = answer->json()["translations"][0];
  EXPECT_EQ(translation["n_best"].size(), 3U);
  EXPECT_EQ(translation["n_best"][1]["text"], "A1");
  EXPECT_EQ(translation["score"], -0.5);
  EXPECT_EQ(translation["alignment"], Json({{0, 0}}));
  EXPECT_EQ(translation["attention"]["heads"], 1);
  const serve::TranslationJob& job = *server.service.last;
  EXPECT_EQ(job.search.beam, 8);
  EXPECT_EQ(job.search.max_length, 20);
  EXPECT_EQ(job.search.length_penalty, 1.5);
  EXPECT_EQ(job.prefix, "Ein");
}

TEST(NativeApi, GivesSegmentsOfSeveralSentences) {
  FakeServer server;
  const auto answer =
      server.post("/v1/translate", {{"q", "One. Two."}, {"source", "en"}, {"target", "de"}});
  const Json translation = answer->json()["translations"][0];
  EXPECT_EQ(translation["text"], "ONE. TWO.");
  ASSERT_EQ(translation["segments"].size(), 2U);
  EXPECT_EQ(translation["segments"][1]["source"], "Two.");
  EXPECT_EQ(translation["segments"][1]["text"], "TWO.");
  const auto whole =
      server.post("/v1/translate",
                  {{"q", "One. Two."}, {"source", "en"}, {"target", "de"}, {"split", "lines"}});
  EXPECT_FALSE(whole->json()["translations"][0].contains("segments"));
}

TEST(NativeApi, WritesNoSpaceBetweenSentencesWhereTheTargetHasNone) {
  FakeServer server;
  const auto answer =
      server.post("/v1/translate", {{"q", "One. Two."}, {"source", "en"}, {"target", "zh"}});
  EXPECT_EQ(answer->json()["translations"][0]["text"], "ONE.TWO.");
}

TEST(NativeApi, StreamsTokensAndThenTheAnswer) {
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

TEST(NativeApi, AnswersAnErrorBeforeAStreamWithAStatus) {
  FakeServer server;
  server.service.error = std::make_exception_ptr(InvalidArgument("wrong"));
  const auto answer = server.post(
      "/v1/translate", {{"q", "hello"}, {"source", "en"}, {"target", "de"}, {"stream", true}});
  EXPECT_EQ(answer->response.status, 400);
  EXPECT_FALSE(answer->is_stream);
}

TEST(NativeApi, AnswersBlankTextsAtOnce) {
  FakeServer server;
  const auto answer =
      server.post("/v1/translate", {{"q", {"", " \n"}}, {"source", "en"}, {"target", "de"}});
  EXPECT_EQ(answer->json()["translations"][1]["text"], " \n");
  EXPECT_EQ(server.service.last, nullptr);
}

TEST(NativeApi, ChecksEveryNumber) {
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

TEST(NativeApi, RefusesFieldsThatItDoesNotKnow) {
  FakeServer server;
  const auto answer =
      server.post("/v1/translate", {{"q", "a"}, {"source", "en"}, {"target", "de"}, {"bean", 4}});
  EXPECT_EQ(answer->response.status, 400);
  EXPECT_EQ(answer->error(), "there is no field \"bean\"; did you mean \"beam\"?");
}

TEST(NativeApi, RefusesWhatDoesNotGoTogether) {
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

TEST(NativeApi, SaysWhichModelsThereAre) {
  FakeServer server;
  const auto named = server.post("/v1/translate", {{"q", "a"}, {"model", "x"}});
  EXPECT_EQ(named->response.status, 404);
  EXPECT_EQ(named->error(), "there is no model 'x'; there is en-de, de-en, en-zh");
  EXPECT_EQ(server.post("/v1/translate", {{"q", "a"}})->response.status, 400);
}

TEST(NativeApi, PassesATermOnToTheJob) {
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
