#include "yona/text/sentences.h"

#include <numeric>

#include <gmock/gmock.h>

#include "yona/base/error.h"

namespace yona {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

auto at_most(std::size_t bytes) {
  return [bytes](std::string_view text) { return text.size() <= bytes; };
}

TEST(Sentences, KeepTheSpaceBehindThem) {
  EXPECT_THAT(split_sentences("It rains. We stay! Why?", "en"),
              ElementsAre("It rains. ", "We stay! ", "Why?"));
}

TEST(Sentences, AreTheWholeTextByteForByte) {
  const std::string text = "  Ein Satz.  Noch einer: „Ja!“ 这是一句话。还有一句吗？ Ende … \t";
  std::string together;
  for (const std::string_view part : split_sentences(text, "de")) {
    together += part;
  }
  EXPECT_EQ(together, text);
}

TEST(Sentences, DoNotEndAtAbbreviationsOfTheLanguage) {
  EXPECT_THAT(split_sentences("Mr. Smith came. He sat.", "en"),
              ElementsAre("Mr. Smith came. ", "He sat."));
}

TEST(Sentences, EndWithoutSpacesInChinese) {
  EXPECT_THAT(split_sentences("你好。再见。", "zh"), ElementsAre("你好。", "再见。"));
}

TEST(Sentences, OfAnEmptyTextAreNone) { EXPECT_THAT(split_sentences("", "en"), IsEmpty()); }

TEST(Sentences, OfAnUnknownLanguageFollowTheGeneralRules) {
  EXPECT_THAT(split_sentences("One. Two.", "xx_unknown_9"), ElementsAre("One. ", "Two."));
}

TEST(SplitToFit, LeavesATextThatFitsAsItIs) {
  const FittingParts found = split_to_fit(" One. Two. ", "en", at_most(100));
  EXPECT_THAT(found.parts, ElementsAre(" One. Two. "));
  EXPECT_FALSE(found.inside_sentence);
}

TEST(SplitToFit, GivesOneSentenceAPart) {
  const FittingParts found = split_to_fit("One. Two. Three.", "en", at_most(10));
  EXPECT_THAT(found.parts, ElementsAre("One.", "Two.", "Three."));
  EXPECT_FALSE(found.inside_sentence);
}

TEST(SplitToFit, CutsALongSentenceBetweenWordsAndSaysSo) {
  const FittingParts found = split_to_fit("one two three four five. Six.", "en", at_most(10));
  EXPECT_THAT(found.parts, ElementsAre("one two", "three four", "five.", "Six."));
  EXPECT_TRUE(found.inside_sentence);
}

TEST(SplitToFit, CutsALongWordBetweenCharacters) {
  const FittingParts found = split_to_fit("ääääää", "de", at_most(5));  // two bytes each
  EXPECT_THAT(found.parts, ElementsAre("ää", "ää", "ää"));
  EXPECT_TRUE(found.inside_sentence);
}

TEST(SplitToFit, KeepsCombiningMarksWithTheirLetters) {
  const std::string letter = "e\u0301";  // three bytes
  const std::string text = letter + letter + letter;
  const FittingParts found = split_to_fit(text, "fr", at_most(4));
  EXPECT_THAT(found.parts, ElementsAre(letter, letter, letter));
}

TEST(SplitToFit, LosesNothingOfAMegabyteWithoutSpaces) {
  const std::string text(1 << 20, 'a');
  const FittingParts found = split_to_fit(text, "en", at_most(1000));
  EXPECT_THAT(found.parts, SizeIs(1049));
  EXPECT_EQ(
      std::accumulate(found.parts.begin(), found.parts.end(), std::size_t{0},
                      [](std::size_t sum, std::string_view part) { return sum + part.size(); }),
      text.size());
}

TEST(SplitToFit, LeavesOutPartsThatAreOnlySpaces) {
  EXPECT_THAT(split_to_fit("One.          Two.", "en", at_most(4)).parts,
              ElementsAre("One.", "Two."));
}

TEST(SplitToFit, RefusesWhenNothingFits) {
  EXPECT_THROW(split_to_fit("a", "en", [](std::string_view) { return false; }), InvalidArgument);
}

}  // namespace
}  // namespace yona
