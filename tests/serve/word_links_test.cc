#include "yona/serve/word_links.h"

#include <gtest/gtest.h>

namespace yona {
namespace {

using serve::HypothesisText;
using serve::word_links;
using serve::WordLink;
using serve::words_of;
using Strings = std::vector<std::string>;

Strings words_in(const std::string& text) {
  Strings texts;
  for (const WordLink& word : words_of(text)) {
    texts.push_back(text.substr(word.begin, word.end - word.begin));
  }
  return texts;
}

// For each word the rest of the source from where it comes.
Strings sources_of(const std::string& source, const Strings& tokens, const HypothesisText& text) {
  Strings sources;
  for (const WordLink& word : word_links(source, tokens, text)) {
    sources.push_back(word.source == WordLink::kNowhere ? "?" : source.substr(word.source));
  }
  return sources;
}

TEST(WordLinks, KnowWordsAndSigns) {
  EXPECT_EQ(words_in(" Zwei müde Hunde, 3x."), (Strings{"Zwei", "müde", "Hunde", ",", "3x", "."}));
  EXPECT_EQ(words_in("我的cat。"), (Strings{"我", "的", "cat", "。"}));
  EXPECT_EQ(words_in("“a”"), (Strings{"“", "a", "”"}));
  EXPECT_TRUE(words_in(" \n").empty());
}

TEST(WordLinks, FollowTheAlignmentOfTokens) {
  const HypothesisText text{.text = "Müde Hunde.",
                            .tokens = {"▁M", "ü", "de", "▁Hunde", ".", "</s>"},
                            .alignment = {{0, 0}, {1, 1}, {2, 3}, {3, 4}}};
  EXPECT_EQ(sources_of("tired dogs!", {"▁ti", "red", "▁dogs", "!", "</s>"}, text),
            (Strings{"ired dogs!", "s!", "!"}));
}

TEST(WordLinks, CountBytesThatArePiecesOfTheirOwn) {
  const HypothesisText text{.text = "ä b",
                            .tokens = {"▁", "<0xC3>", "<0xA4>", "▁b", "</s>"},
                            .alignment = {{0, 2}, {1, 3}}};
  EXPECT_EQ(sources_of("x y", {"▁x", "▁y", "</s>"}, text), (Strings{"x y", "y"}));
}

TEST(WordLinks, AreGuessedWhereNothingIsAligned) {
  EXPECT_EQ(sources_of("one two", {}, {.text = "eins zwei"}), (Strings{"one two", " two"}));
  const HypothesisText text{.text = "a b", .tokens = {"▁a", "▁b"}, .alignment = {{0, 0}}};
  EXPECT_EQ(sources_of("x y", {"▁x", "▁y"}, text), (Strings{"x y", "?"}));
}

TEST(WordLinks, StandTokensThatDoNotFitTheText) {
  const HypothesisText text{
      .text = "ab cd", .tokens = {"longer", "than", "it"}, .alignment = {{0, 0}, {7, 1}, {1, 9}}};
  EXPECT_EQ(word_links("x", {"▁normalised"}, text).size(), 2U);
}

}  // namespace
}  // namespace yona
