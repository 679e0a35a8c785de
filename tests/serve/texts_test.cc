#include "yona/serve/texts.h"

#include <gtest/gtest.h>

#include "tests/harness/temp_dir.h"

namespace yona {
namespace {

using serve::ModelSummary;
using serve::SentenceResult;
using serve::Split;
using serve::Texts;

ModelSummary model_of(const std::string& source) {
  ModelSummary model;
  model.source = source;
  return model;
}

SentenceResult result(std::vector<std::string> texts) {
  SentenceResult made;
  for (std::string& text : texts) {
    made.n_best.push_back({.text = std::move(text)});
  }
  return made;
}

TEST(Texts, AreSentencesOfOneJobAndTextsAgain) {
  const Texts texts({"One. Two.", "", "three"}, Split::sentences, model_of("en"), {});
  EXPECT_EQ(texts.sentences(), (std::vector<std::string>{"One.", "Two.", "three"}));
  EXPECT_EQ(texts.text_of(0), 0U);
  EXPECT_EQ(texts.text_of(1), 0U);
  EXPECT_EQ(texts.text_of(2), 2U);
  const std::vector<SentenceResult> results{result({"1", "1b"}), result({"2"}),
                                            result({"3", "3b"})};
  EXPECT_EQ(texts.translation(0, texts.results_of(0, results), 0), "1 2");
  EXPECT_EQ(texts.translation(0, texts.results_of(0, results), 1), "1b 2");
  EXPECT_EQ(texts.translation(1, texts.results_of(1, results), 0), "");
  EXPECT_EQ(texts.translation(2, texts.results_of(2, results), 1), "3b");
}

TEST(Texts, CountCharactersNotBytes) {
  EXPECT_EQ(serve::character_count("aä€😀"), 4);
  EXPECT_EQ(Texts({"ä", "bc"}, Split::none, model_of("en"), {}).characters(), 3);
}

TEST(Texts, SayWhichLimitIsPassed) {
  const auto message = [](const std::vector<std::string>& texts) {
    return testing::message_of<serve::HttpError>([&] {
      Texts(texts, Split::lines, model_of("en"), {.texts = 2, .sentences = 3, .characters = 10});
    });
  };
  EXPECT_EQ(message({"a", "b", "c"}), "the request has 3 texts; 2 are allowed at most");
  EXPECT_EQ(message({"12345678901"}), "the request has 11 characters; 10 are allowed at most");
  EXPECT_EQ(message({"a\nb\nc\nd"}), "the request has 4 sentences; 3 are allowed at most");
  EXPECT_EQ(message({"a\nb", "c"}), "");
}

}  // namespace
}  // namespace yona
