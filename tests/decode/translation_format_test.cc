#include "yona/decode/translation_format.h"

#include <gmock/gmock.h>

#include "yona/base/json.h"
#include "yona/decode/line_words.h"

namespace yona {
namespace {

const Vocabulary& two_pieces() {
  static const Vocabulary pieces({"</s>", "<unk>", "▁a", "b", "<pad>"});
  return pieces;
}

TranslationFormat format(OutputForm form, AlignmentForm alignment = AlignmentForm::none,
                         bool word_scores = false) {
  return {form, alignment, word_scores};
}

Translation translation(std::string text, double score) {
  LineTranslation line{.text = text, .score = score, .log_probability = 2 * score};
  line.parts.push_back({text, {.ids = {2, 3, 0}, .token_scores = {-0.5F, -0.25F, -0.125F}}, {}});
  return translation_of(line, two_pieces(), two_pieces());
}

const SourceLine kLine{.text = "source \"text\"", .number = 5};

TEST(TranslationFormat, OfTextIsTheBestInOneLine) {
  const std::vector<Translation> all{translation("one\ntwo", -1), translation("x", -2)};
  EXPECT_EQ(formatted(kLine, all, format(OutputForm::text)), "one two\n");
}

TEST(TranslationFormat, OfNBestNumbersLinesFromZero) {
  const std::vector<Translation> all{translation("one", -1.25), translation("x", -2)};
  EXPECT_EQ(formatted(kLine, all, format(OutputForm::n_best)),
            "4 ||| one ||| F0= -2.5 ||| -1.25\n4 ||| x ||| F0= -4 ||| -2\n");
}

TEST(TranslationFormat, OfJsonHasEverythingInOneLine) {
  const std::vector<Translation> all{translation("ab", -1)};
  const std::string line = formatted(kLine, all, format(OutputForm::json));
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  EXPECT_EQ(Json::parse(line), Json::parse(R"({"line": 5, "source": "source \"text\"",
    "translations": [{"text": "ab", "score": -1.0, "log_probability": -2.0, "tokens": [
      {"piece": "▁a", "score": -0.5}, {"piece": "b", "score": -0.25},
      {"piece": "</s>", "score": -0.125}], "word_scores": [-0.75]}]})"));
}

// "a ab", from "ab a".
Translation aligned() {
  LineTranslation line{.text = "a ab", .score = -1, .log_probability = -2};
  SentenceTranslation part{.text = line.text, .hypothesis = {}, .source = {2, 3, 2, 0}};
  part.hypothesis.ids = {2, 2, 3, 0};
  part.hypothesis.token_scores = {-0.5F, -0.25F, -0.125F, -1.0F};
  part.hypothesis.attention = {{0.25F, 0.25F, 0.5F, 0.0F},
                               {1.0F, 0.0F, 0.0F, 0.0F},
                               {0.0F, 0.5F, 0.0F, 0.5F},
                               {0.0F, 0.0F, 0.0F, 1.0F}};
  line.parts.push_back(std::move(part));
  return translation_of(line, two_pieces(), two_pieces());
}

TEST(TranslationFormat, AddsAlignmentsAndWordScoresAfterTheText) {
  const std::vector<Translation> all{aligned()};
  EXPECT_EQ(formatted(kLine, all, format(OutputForm::text, AlignmentForm::hard)),
            "a ab ||| 0-0 0-1\n");
  EXPECT_EQ(formatted(kLine, all, format(OutputForm::text, AlignmentForm::soft)),
            "a ab ||| 0.5000,0.5000 0.7500,0.0000\n");
  EXPECT_EQ(formatted(kLine, all, format(OutputForm::text, AlignmentForm::none, true)),
            "a ab ||| WordScores= -0.5 -0.375\n");
  EXPECT_EQ(formatted(kLine, all, format(OutputForm::n_best, AlignmentForm::hard, true)),
            "4 ||| a ab ||| 0-0 0-1 ||| WordScores= -0.5 -0.375 ||| F0= -2 ||| -1\n");
}

TEST(TranslationFormat, OfJsonHasAlignmentsAsNumbers) {
  const std::vector<Translation> all{aligned()};
  const auto alignment = [&](AlignmentForm form) {
    const Json json = Json::parse(formatted(kLine, all, format(OutputForm::json, form)));
    return json.at("translations").at(0).at("alignment");
  };
  EXPECT_EQ(alignment(AlignmentForm::hard), Json::parse("[[0, 0], [0, 1]]"));
  EXPECT_EQ(alignment(AlignmentForm::soft), Json::parse("[[0.5, 0.5], [0.75, 0.0]]"));
}

TEST(TranslationFormat, OfABlankLineHasItsFields) {
  const std::vector<Translation> all{Translation{}};
  EXPECT_EQ(formatted(kLine, all, format(OutputForm::text, AlignmentForm::hard, true)),
            " |||  ||| WordScores=\n");
}

}  // namespace
}  // namespace yona
