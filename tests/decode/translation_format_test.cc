#include "yona/decode/translation_format.h"

#include <gmock/gmock.h>

#include "yona/base/json.h"

namespace yona {
namespace {

Vocabulary vocabulary() { return Vocabulary({"</s>", "<unk>", "▁a", "b", "<pad>"}); }

LineTranslation translation(std::string text, double score) {
  LineTranslation line{.text = text, .score = score, .log_probability = 2 * score};
  line.parts.push_back({text, {.ids = {2, 3, 0}, .token_scores = {-0.5F, -0.25F, -0.125F}}});
  return line;
}

const SourceLine kLine{.text = "source \"text\"", .number = 5};

TEST(TranslationFormat, OfTextIsTheBestInOneLine) {
  const std::vector<LineTranslation> all{translation("one\ntwo", -1), translation("x", -2)};
  EXPECT_EQ(formatted(kLine, all, OutputForm::text, vocabulary()), "one two\n");
}

TEST(TranslationFormat, OfNBestNumbersLinesFromZero) {
  const std::vector<LineTranslation> all{translation("one", -1.25), translation("x", -2)};
  EXPECT_EQ(formatted(kLine, all, OutputForm::n_best, vocabulary()),
            "4 ||| one ||| F0= -2.5 ||| -1.25\n4 ||| x ||| F0= -4 ||| -2\n");
}

TEST(TranslationFormat, OfJsonHasEverythingInOneLine) {
  const std::vector<LineTranslation> all{translation("ab", -1)};
  const std::string line = formatted(kLine, all, OutputForm::json, vocabulary());
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  EXPECT_EQ(Json::parse(line), Json::parse(R"({"line": 5, "source": "source \"text\"",
    "translations": [{"text": "ab", "score": -1.0, "log_probability": -2.0, "tokens": [
      {"piece": "▁a", "score": -0.5}, {"piece": "b", "score": -0.25},
      {"piece": "</s>", "score": -0.125}]}]})"));
}

}  // namespace
}  // namespace yona
