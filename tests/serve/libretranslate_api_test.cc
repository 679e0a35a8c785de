#include "yona/serve/libretranslate_api.h"

#include <gtest/gtest.h>

#include "tests/serve/fake_service.h"

namespace yona {
namespace {

using testing::FakeServer;

TEST(LibreTranslateApi, TranslatesATextInJson) {
  FakeServer server;
  const auto answer =
      server.post("/translate", {{"q", "two dogs"}, {"source", "en"}, {"target", "de"}});
  EXPECT_EQ(answer->response.status, 200);
  EXPECT_EQ(answer->json(), Json({{"translatedText", "TWO DOGS"}}));
  EXPECT_EQ(answer->answers, 1);
}

TEST(LibreTranslateApi, TranslatesAForm) {
  FakeServer server;
  const auto answer =
      server.post_form("/translate", "q=two+dogs%2C%20really&source=en&target=de&format=text");
  EXPECT_EQ(answer->json(), Json({{"translatedText", "TWO DOGS, REALLY"}}));
}

TEST(LibreTranslateApi, TranslatesAListInOrder) {
  FakeServer server;
  const auto answer = server.post(
      "/translate", {{"q", {"one", "", "two", " \n"}}, {"source", "en"}, {"target", "de"}});
  EXPECT_EQ(answer->json()["translatedText"], Json({"ONE", "", "TWO", " \n"}));
  EXPECT_EQ(server.post("/translate", {{"q", Json::array()}, {"source", "en"}, {"target", "de"}})
                ->json()["translatedText"],
            Json::array());
}

TEST(LibreTranslateApi, KeepsLinesAndParagraphs) {
  FakeServer server;
  const auto answer = server.post(
      "/translate", {{"q", "One. Two.\n\n  three\n"}, {"source", "en"}, {"target", "de"}});
  EXPECT_EQ(answer->json()["translatedText"], "ONE. TWO.\n\n  THREE\n");
  EXPECT_EQ(server.service.last->sentences, (std::vector<std::string>{"One.", "Two.", "three"}));
}

TEST(LibreTranslateApi, KeepsTagsOfHtml) {
  FakeServer server;
  const auto answer = server.post("/translate", {{"q", "<p>a <b class=\"x\">b &amp; c</b></p>"},
                                                 {"source", "en"},
                                                 {"target", "de"},
                                                 {"format", "html"}});
  EXPECT_EQ(answer->json()["translatedText"], "<p>A <b class=\"x\">B &amp; C</b></p>");
}

TEST(LibreTranslateApi, GivesAlternatives) {
  FakeServer server;
  const auto one = server.post(
      "/translate", {{"q", "a"}, {"source", "en"}, {"target", "de"}, {"alternatives", 2}});
  EXPECT_EQ(one->json()["alternatives"], Json({"A1", "A2"}));
  const auto list = server.post(
      "/translate", {{"q", {"a", "b"}}, {"source", "en"}, {"target", "de"}, {"alternatives", 1}});
  EXPECT_EQ(list->json()["alternatives"], Json({{"A1"}, {"B1"}}));
  const auto many = server.post(
      "/translate", {{"q", "a"}, {"source", "en"}, {"target", "de"}, {"alternatives", 9}});
  EXPECT_EQ(many->json()["alternatives"].size(), 9U);
  EXPECT_EQ(server.service.last->search.beam, 10);
}

TEST(LibreTranslateApi, FindsOutTheSource) {
  FakeServer server;
  const auto answer = server.post(
      "/translate",
      {{"q", "The committee will meet again on Monday to discuss the new proposals in detail."},
       {"source", "auto"},
       {"target", "de"}});
  EXPECT_EQ(answer->json()["detectedLanguage"]["language"], "en");
  EXPECT_GT(answer->json()["detectedLanguage"]["confidence"], 50);
  EXPECT_EQ(server.service.last->model, "en-de");
}

TEST(LibreTranslateApi, SaysWhenAPairIsNotServed) {
  FakeServer server;
  const auto answer = server.post("/translate", {{"q", "a"}, {"source", "en"}, {"target", "fr"}});
  EXPECT_EQ(answer->response.status, 400);
  EXPECT_EQ(answer->error(),
            "there is no model from 'en' to 'fr'; there is en → de, de → en, en → zh");
}

TEST(LibreTranslateApi, RefusesWhatIsMissingOrOfTheWrongType) {
  FakeServer server;
  const Json good{{"q", "a"}, {"source", "en"}, {"target", "de"}};
  const std::vector<std::pair<std::string, Json>> wrong = {
      {"q", nullptr},          {"q", 5},
      {"q", {{"a", 1}}},       {"q", {1, 2}},
      {"source", 7},           {"target", false},
      {"source", nullptr},     {"format", "pdf"},
      {"alternatives", "two"}, {"alternatives", -1},
      {"alternatives", 17},    {"alternatives", 1.5},
      {"alternatives", 1e300}};
  for (const auto& [field, value] : wrong) {
    Json request = good;
    request[field] = value;
    const auto answer = server.post("/translate", request);
    EXPECT_EQ(answer->response.status, 400) << request;
    EXPECT_NE(answer->error().find(field), std::string::npos) << request;
  }
  Json more = good;
  more["unknown"] = 1;  // LibreTranslate's clients send fields that we do not know
  EXPECT_EQ(server.post("/translate", more)->response.status, 200);
}

TEST(LibreTranslateApi, GivesBackWhatIsInTheTargetsLanguage) {
  FakeServer server;
  const auto same = server.post(
      "/translate", {{"q", {"a", "b"}}, {"source", "de"}, {"target", "de"}, {"alternatives", 2}});
  EXPECT_EQ(same->json(), (Json{{"translatedText", {"a", "b"}},
                                {"alternatives", {Json::array(), Json::array()}}}));
  const std::string german = "Der Ausschuss wird am Montag wieder tagen.";
  const auto detected =
      server.post("/translate", {{"q", german}, {"source", "auto"}, {"target", "de"}})->json();
  EXPECT_EQ(detected["translatedText"], german);
  EXPECT_EQ(detected["detectedLanguage"]["language"], "de");
  EXPECT_EQ(
      server.post("/translate", {{"q", "a"}, {"source", "xx"}, {"target", "xx"}})->response.status,
      400);
}

TEST(LibreTranslateApi, RefusesBodiesThatAreNoJson) {
  FakeServer server;
  for (const char* body : {"", "{", "[]", "null", "{\"q\": \"\xff\"}", "\x00"}) {
    const auto answer = server.ask(
        {.method = "POST", .path = "/translate", .content_type = "application/json", .body = body});
    EXPECT_EQ(answer->response.status, 400) << body;
    EXPECT_FALSE(answer->error().empty()) << body;
  }
  const auto deep = server.ask({.method = "POST",
                                .path = "/translate",
                                .content_type = "application/json",
                                .body = std::string(100'000, '[')});
  EXPECT_EQ(deep->response.status, 400);
}

TEST(LibreTranslateApi, RefusesFormsThatAreNotUtf8AndOtherTypes) {
  FakeServer server;
  EXPECT_EQ(server.post_form("/translate", "q=%FF%FE&source=en&target=de")->response.status, 400);
  const auto other = server.ask(
      {.method = "POST", .path = "/translate", .content_type = "image/png", .body = "x"});
  EXPECT_EQ(other->response.status, 415);
  EXPECT_NE(other->error().find("image/png"), std::string::npos);
}

TEST(LibreTranslateApi, TakesFormsOfParts) {
  FakeServer server;
  const auto answer = server.post_parts(
      "/translate", {{"q", "a b"}, {"q", "c"}, {"source", "en"}, {"target", "de"}});
  EXPECT_EQ(answer->json()["translatedText"], Json({"A B", "C"}));
  EXPECT_EQ(server.post_parts("/detect", {{"q", "a b"}})->response.status, 200);
  EXPECT_EQ(server.post_parts("/v1/translate", {{"q", "a"}, {"model", "en-de"}, {"n_best", "2"}})
                ->response.status,
            200);
  EXPECT_EQ(server.post_parts("/translate", {{"q", "\xff"}, {"source", "en"}, {"target", "de"}})
                ->response.status,
            400);
}

TEST(LibreTranslateApi, HoldsToItsLimits) {
  FakeServer server({.texts = 3, .sentences = 4, .characters = 20});
  const auto status = [&](const Json& q) {
    return server.post("/translate", {{"q", q}, {"source", "en"}, {"target", "de"}})
        ->response.status;
  };
  EXPECT_EQ(status("twenty characters..."), 200);
  EXPECT_EQ(status("twenty-one characters"), 400);
  EXPECT_EQ(status({"a", "b", "c"}), 200);
  EXPECT_EQ(status({"a", "b", "c", "d"}), 400);
  EXPECT_EQ(status("a\nb\nc\nd\n"), 200);
  EXPECT_EQ(status("a\nb\nc\nd\ne\n"), 400);
}

TEST(LibreTranslateApi, AnswersWhatGoesWrongInside) {
  FakeServer server;
  server.service.error = std::make_exception_ptr(std::runtime_error("secret"));
  const Json request{{"q", "a"}, {"source", "en"}, {"target", "de"}};
  EXPECT_EQ(server.post("/translate", request)->response.status, 500);
  EXPECT_EQ(server.post("/translate", request)->error(),
            "the server failed at this request; its log says why");
  server.service.error = std::make_exception_ptr(InvalidArgument("the prefix is too long"));
  EXPECT_EQ(server.post("/translate", request)->response.status, 400);
}

TEST(LibreTranslateApi, ListsLanguagesWithTheirTargets) {
  FakeServer server;
  EXPECT_EQ(server.get("/languages")->json(),
            Json::parse(R"([{"code": "en", "name": "English", "targets": ["de", "zh"]},
                            {"code": "de", "name": "German", "targets": ["en"]},
                            {"code": "zh", "name": "Chinese", "targets": []}])"));
}

TEST(LibreTranslateApi, DetectsLanguages) {
  FakeServer server;
  const auto answer = server.post("/detect", {{"q", "Der Ausschuss wird am Montag wieder tagen."}});
  EXPECT_EQ(answer->json()[0]["language"], "de");
  EXPECT_EQ(server.post("/detect", {{"q", ""}})->json()[0]["confidence"], 0);
  EXPECT_EQ(server.post("/detect", Json::object())->response.status, 400);
}

TEST(LibreTranslateApi, IsHealthy) {
  FakeServer server;
  EXPECT_EQ(server.get("/health")->json(), Json({{"status", "ok"}}));
}

}  // namespace
}  // namespace yona
