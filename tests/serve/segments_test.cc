#include "yona/serve/segments.h"

#include <gtest/gtest.h>

namespace yona {
namespace {

using serve::join;
using serve::Segments;
using serve::segments_of;
using serve::Split;
using Strings = std::vector<std::string>;

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
      EXPECT_EQ(join(found, {}, true), text);
    }
  }
}

TEST(Segments, JoinedWithThemselvesAreTheText) {
  for (const std::string text :
       {"One. Two!\n\n\n Three?  Four.\r\n", "a", "\n a b \n", "..", "!? ."}) {
    for (const Split split : {Split::none, Split::lines, Split::sentences}) {
      const Segments found = segments_of(text, split, "en");
      EXPECT_EQ(join(found, found.sentences, true), text);
    }
  }
}

TEST(Segments, HaveSpacesAsTheTargetsLanguageDoes) {
  const Segments chinese = segments_of("你好。你好吗？\n好", Split::sentences, "zh");
  EXPECT_EQ(join(chinese, {"Hello.", "How are you?", "Fine"}, true), "Hello. How are you?\nFine");
  const Segments english = segments_of("Hello. How are you?\nFine", Split::sentences, "en");
  EXPECT_EQ(join(english, {"你好。", "你好吗？", "好"}, false), "你好。你好吗？\n好");
}

}  // namespace
}  // namespace yona
