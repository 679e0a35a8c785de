#include "yona/serve/detection.h"

#include <gtest/gtest.h>

#include "tests/harness/temp_dir.h"

namespace yona {
namespace {

using serve::detect_languages;
using serve::detected_source;
using serve::ModelSummary;
using serve::surely_in;

const std::vector<ModelSummary> kModels = {
    {.id = "en-de", .source = "en", .target = "de", .family = ""},
    {.id = "fr-de", .source = "fr", .target = "de", .family = ""},
    {.id = "de-en", .source = "de", .target = "en", .family = ""}};

TEST(Detection, KnowsLanguagesOfWholeSentences) {
  const std::vector<std::pair<std::string, std::string>> texts = {
      {"en", "The committee will meet again on Monday to discuss the new proposals."},
      {"de", "Der Ausschuss wird am Montag wieder zusammentreten, um darüber zu beraten."},
      {"fr", "La commission se réunira de nouveau lundi pour discuter des propositions."},
      {"es", "La comisión se reunirá de nuevo el lunes para debatir las propuestas."},
      {"ru", "Комитет соберётся снова в понедельник, чтобы обсудить новые предложения."},
      {"ja", "委員会は月曜日に再び会合を開き、新しい提案について話し合います。"},
      {"he", "הוועדה תתכנס שוב ביום שני כדי לדון בהצעות החדשות."}};
  for (const auto& [language, text] : texts) {
    const auto found = detect_languages(text);
    ASSERT_FALSE(found.empty()) << language;
    EXPECT_EQ(found.front().language, language);
    EXPECT_GE(found.front().confidence, 80) << language;
    EXPECT_LE(found.front().confidence, 100) << language;
  }
}

TEST(Detection, SaysNothingOfNothing) {
  EXPECT_TRUE(detect_languages("").empty());
  EXPECT_TRUE(detect_languages(" \n 123 !").empty());
}

TEST(Detection, TakesLongTextsAndCutsNoCharacter) {
  std::string text;
  for (int i = 0; i < 10'000; ++i) {
    text += "Ä";
  }
  EXPECT_NO_THROW(detect_languages("x" + text));
  EXPECT_NO_THROW(detect_languages(text));
}

TEST(Detection, ChoosesAmongTheModels) {
  EXPECT_EQ(detected_source({"La commission se réunira de nouveau lundi."}, kModels, "de").language,
            "fr");
  EXPECT_LT(detected_source({"xqz"}, kModels, "de").confidence, 20);
  EXPECT_EQ(detected_source({""}, kModels, "de").language, "en");
}

TEST(Detection, KnowsWhenATextIsSurelyInALanguage) {
  const std::string german = "Der Ausschuss wird am Montag wieder tagen.";
  EXPECT_EQ(surely_in({german}, "de")->language, "de");
  EXPECT_TRUE(surely_in({german}, "de_DE"));
  EXPECT_FALSE(surely_in({german}, "en"));
  EXPECT_FALSE(surely_in({"Haus"}, "de"));
  EXPECT_FALSE(surely_in({""}, "de"));
}

TEST(Detection, RefusesATextThatIsSurelyInAnotherLanguage) {
  const std::string text = testing::message_of<serve::HttpError>([] {
    detected_source({"Комитет соберётся снова в понедельник, чтобы обсудить предложения."}, kModels,
                    "de");
  });
  EXPECT_NE(text.find("seems to be 'ru'"), std::string::npos) << text;
  EXPECT_EQ(testing::message_of<serve::HttpError>([] { detected_source({"a"}, kModels, "zh"); }),
            "there is no model into 'zh'");
}

}  // namespace
}  // namespace yona
