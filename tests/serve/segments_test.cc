#include "yona/serve/segments.h"

#include <gtest/gtest.h>

#include "yona/text/utf8.h"

namespace yona {
namespace {

using serve::Segments;
using serve::segments_of;
using serve::Split;
using Strings = std::vector<std::string>;

std::string text_of(const Segments& segments, const Strings& translations, bool has_spaces) {
  return serve::join(segments, translations, has_spaces).text;
}

TEST(Segments, AreSentencesOfLines) {
  const Segments found = segments_of("  One. Two!\n\nThree", Split::sentences, "en");
  EXPECT_EQ(found.sentences, (Strings{"One.", "Two!", "Three"}));
  EXPECT_EQ(found.between, (Strings{"  ", " ", "\n\n", ""}));
}

TEST(Segments, AreLinesOrTheWholeText) {
  EXPECT_EQ(segments_of("One. Two.\r\nThree", Split::lines, "en").sentences,
            (Strings{"One. Two.", "Three"}));
  EXPECT_EQ(segments_of("One. Two.\nThree ", Split::none, "en").sentences,
            (Strings{"One. Two.\nThree"}));
}

TEST(Segments, KnowSentencesWithoutSpaces) {
  EXPECT_EQ(segments_of("你好。你好吗？", Split::sentences, "zh").sentences,
            (Strings{"你好。", "你好吗？"}));
}

TEST(Segments, OfBlankTextsAreNone) {
  for (const std::string text : {"", " ", "\n\n", "\t \r\n"}) {
    for (const Split split : {Split::none, Split::lines, Split::sentences}) {
      const Segments found = segments_of(text, split, "en");
      EXPECT_TRUE(found.sentences.empty());
      EXPECT_EQ(text_of(found, {}, true), text);
    }
  }
}

TEST(Segments, JoinedWithThemselvesAreTheText) {
  for (const std::string text :
       {"One. Two!\n\n\n Three?  Four.\r\n", "a", "\n a b \n", "..", "!? ."}) {
    for (const Split split : {Split::none, Split::lines, Split::sentences}) {
      const Segments found = segments_of(text, split, "en");
      EXPECT_EQ(text_of(found, found.sentences, true), text);
    }
  }
}

TEST(Segments, AreNeverLongerThanTheLongest) {
  std::string words;
  std::string characters;
  for (int i = 0; i < 2000; ++i) {
    words += i % 300 == 299 ? "dog. " : "dog ";
    characters += "犬";
  }
  for (const std::string& text : {words, characters, std::string(9999, 'x')}) {
    for (const Split split : {Split::none, Split::lines, Split::sentences}) {
      const Segments found = segments_of(text, split, "en");
      EXPECT_GE(found.sentences.size(), 3);
      for (const std::string& sentence : found.sentences) {
        EXPECT_LE(sentence.size(), serve::kLongestSentence);
        EXPECT_TRUE(is_utf8(sentence));
      }
      EXPECT_EQ(text_of(found, found.sentences, text == words), text);
    }
  }
}

TEST(Segments, ThatAreTooLongEndAtSentenceEndsFirst) {
  const std::string sentence = std::string(600, 'x') + ".";
  const Segments found = segments_of(sentence + " Y" + sentence, Split::none, "en");
  EXPECT_EQ(found.sentences, (Strings{sentence, "Y" + sentence}));
}

TEST(Segments, HaveSpacesAsTheTargetsLanguageDoes) {
  const Segments chinese = segments_of("你好。你好吗？\n好", Split::sentences, "zh");
  EXPECT_EQ(text_of(chinese, {"Hello.", "How are you?", "Fine"}, true),
            "Hello. How are you?\nFine");
  const Segments english = segments_of("Hello. How are you?\nFine", Split::sentences, "en");
  EXPECT_EQ(text_of(english, {"你好。", "你好吗？", "好"}, false), "你好。你好吗？\n好");
}

TEST(Segments, SayWhereEachTranslationBegins) {
  const Segments found = segments_of(" One. Two.", Split::sentences, "en");
  EXPECT_EQ(serve::join(found, {"Eins", "Zwei"}, true).starts, (std::vector<std::size_t>{1, 6}));
}

}  // namespace
}  // namespace yona
