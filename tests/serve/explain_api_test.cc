#include "yona/serve/explain_api.h"

#include <gtest/gtest.h>

#include "tests/serve/fake_generation.h"

namespace yona {
namespace {

using testing::FakeGenerationServer;
using testing::FakeServer;

TEST(ExplainApi, GivesAPromptToTheLanguageModel) {
  FakeGenerationServer server;
  const auto answer =
      server.post("/v1/explain", {{"prompt", "a b"}, {"layer", 1}, {"head", 2}, {"query", 1}});
  EXPECT_EQ(answer->response.status, 200) << answer->response.body;
  EXPECT_EQ(answer->json().dump(), R"({"prompt":"a b","step":[1,2,1]})");
  const auto plain = server.post("/v1/explain", {{"prompt", "a"}, {"model", "toy"}});
  EXPECT_EQ(plain->json()["step"].dump(), "[0,0,-1]");
  EXPECT_EQ(server.post("/v1/explain", {{"q", "a"}, {"model", "en-de"}})->json()["task"],
            "explain");
}

TEST(ExplainApi, SaysWhichTextWhichModelTakes) {
  FakeGenerationServer server;
  const auto refusal = [&](const Json& body) {
    const auto answer = server.post("/v1/explain", body);
    return std::to_string(answer->response.status) + " " + answer->error();
  };
  const std::string both =
      "400 give one of \"q\", a sentence for a translation model, and \"prompt\", a text for a "
      "language model";
  EXPECT_EQ(refusal(Json::object()), both);
  EXPECT_EQ(refusal({{"q", "a"}, {"prompt", "a"}}), both);
  EXPECT_EQ(refusal({{"prompt", "a"}, {"model", "en-de"}}),
            "400 the model 'en-de' translates: give \"q\", a sentence, in place of \"prompt\"");
  EXPECT_EQ(refusal({{"q", "a"}, {"model", "toy"}}),
            "400 the model 'toy' is a language model: give \"prompt\" in place of \"q\"");
  EXPECT_EQ(refusal({{"prompt", ""}}), "400 \"prompt\" is empty; give at least one word");
  EXPECT_EQ(refusal({{"prompt", "a"}, {"stack", "cross"}}),
            "400 \"stack\": a language model has the decoder's attention alone");
  for (const char* field : {"source", "target"}) {
    EXPECT_EQ(refusal({{"prompt", "a"}, {field, "en"}}),
              "400 \"" + std::string(field) + "\" is of translation models; a prompt has none");
  }
  EXPECT_EQ(refusal({{"prompt", "a"}, {"target_prefix", {"b"}}}),
            "400 \"target_prefix\" is of translation models; a prompt has none");
  EXPECT_EQ(refusal({{"prompt", "a"}, {"model", "none"}}),
            "404 there is no language model 'none'; there is toy");
  EXPECT_EQ(server.post("/v1/explain", {{"prompt", "a"}, {"layer", -1}})->response.status, 400);
  EXPECT_EQ(server.post("/v1/explain", {{"prompt", 3}})->response.status, 400);
}

TEST(ExplainApi, BoundsTheTextAndPassesOnWhatTheModelRefuses) {
  FakeGenerationServer server({.characters = 5});
  EXPECT_EQ(server.post("/v1/explain", {{"prompt", "123456"}})->error(),
            "the request has 6 characters; 5 are allowed at most");
  server.generation.refusal =
      std::make_exception_ptr(serve::HttpError(413, "the prompt is too long"));
  const auto answer = server.post("/v1/explain", {{"prompt", "a"}});
  EXPECT_EQ(answer->response.status, 413);
  EXPECT_EQ(answer->error(), "the prompt is too long");
}

TEST(ExplainApi, KnowsNoPromptWithoutLanguageModels) {
  FakeServer server;
  const auto answer = server.post("/v1/explain", {{"prompt", "a"}});
  EXPECT_EQ(answer->response.status, 404);
  EXPECT_EQ(answer->error(), "no language model is served here; /v1/models lists what is");
}

}  // namespace
}  // namespace yona
