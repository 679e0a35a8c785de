#include "yona/serve/native_answer.h"

#include <gtest/gtest.h>

#include "tests/serve/fake_service.h"

namespace yona {
namespace {

using testing::FakeServer;

TEST(NativeAnswer, GivesTextAndTokens) {
  FakeServer server;
  const auto answer = server.post("/v1/translate", {{"q", "two dogs"}, {"model", "en-de"}});
  EXPECT_EQ(answer->response.status, 200);
  const Json translation = answer->json()["translations"][0];
  EXPECT_EQ(translation["text"], "TWO DOGS");
  EXPECT_EQ(translation["source_tokens"], Json({"▁two", "▁dogs", "</s>"}));
  EXPECT_FALSE(translation.contains("score"));
  EXPECT_FALSE(translation.contains("alignment"));
  EXPECT_EQ(answer->json()["model"], "en-de");
}

TEST(NativeAnswer, GivesWhatIsAskedFor) {
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

TEST(NativeAnswer, MovesAttentionIntoTheAnswer) {
  const serve::Texts texts({"One. Two."}, serve::Split::sentences, {}, {});
  std::vector<serve::SentenceResult> results(2);
  results[0].n_best = results[1].n_best = {{.text = "x"}};
  std::string weights = '"' + std::string(1 << 20, '0') + '"';
  const char* const bytes = weights.data();
  results[1].attention = std::move(weights);
  serve::WantedAnswer wanted;
  wanted.attention = true;
  TextPieces answer =
      serve::answer_text(serve::translation_texts(texts, std::move(results), wanted), wanted);
  EXPECT_TRUE(std::any_of(answer.pieces().begin(), answer.pieces().end(),
                          [&](const std::string& piece) { return piece.data() == bytes; }));
  const Json json = Json::parse(answer.joined());
  EXPECT_EQ(json["translations"][0]["segments"][0]["attention"], nullptr);
  EXPECT_EQ(json["translations"][0]["segments"][1]["attention"].get<std::string>().size(),
            1U << 20);
}

TEST(NativeAnswer, GivesSegmentsOfSeveralSentences) {
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

TEST(NativeAnswer, WritesNoSpaceBetweenSentencesWhereTheTargetHasNone) {
  FakeServer server;
  const auto answer =
      server.post("/v1/translate", {{"q", "One. Two."}, {"source", "en"}, {"target", "zh"}});
  EXPECT_EQ(answer->json()["translations"][0]["text"], "ONE.TWO.");
}

}  // namespace
}  // namespace yona
