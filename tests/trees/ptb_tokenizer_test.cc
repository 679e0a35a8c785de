#include "yona/trees/ptb_tokenizer.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace yona {
namespace {

using ::testing::IsEmpty;

std::string words(std::string_view text) {
  return fmt::format("{}", fmt::join(ptb_words(text), "|"));
}

TEST(PtbTokenizer, PunctuationIsAWordOfItsOwn) {
  EXPECT_EQ(words("Yes, he said; no: why?!"), "Yes|,|he|said|;|no|:|why|?|!");
  EXPECT_EQ(words("(see [this] {that})"), "(|see|[|this|]|{|that|}|)");
  EXPECT_EQ(words("ten % of it -- or more... or less"), "ten|%|of|it|--|or|more|...|or|less");
}

TEST(PtbTokenizer, OnlyTheLastPeriodIsCutOff) {
  EXPECT_EQ(words("Mr. Smith of Acme Corp. came."), "Mr.|Smith|of|Acme|Corp.|came|.");
  EXPECT_EQ(words("He said \"I came.\""), "He|said|``|I|came|.|''");
  EXPECT_EQ(words("(He came.)"), "(|He|came|.|)");
  EXPECT_EQ(words("well ..."), "well|...");
  EXPECT_EQ(words("."), ".");
}

TEST(PtbTokenizer, QuotesAndDashesAreTheTreebanks) {
  EXPECT_EQ(words("\"No\" (\"never\")"), "``|No|''|(|``|never|''|)");
  EXPECT_EQ(words("“No” – it’s over… now"), "``|No|''|--|it|'s|over|...|now");
  EXPECT_EQ(words("a --- b"), "a|--|b");
  EXPECT_EQ(words("`` done ''"), "``|done|''");
}

TEST(PtbTokenizer, NumbersAndNamesStayWhole) {
  EXPECT_EQ(words("1,000 at 10:30 , 5 : 6"), "1,000|at|10:30|,|5|:|6");
  EXPECT_EQ(words("AT&T & Co. paid $5 or US$7"), "AT&T|&|Co.|paid|$|5|or|US$|7");
}

TEST(PtbTokenizer, ContractionsAreTwoWords) {
  EXPECT_EQ(words("They'll say I'm not, don't; she'd've"),
            "They|'ll|say|I|'m|not|,|do|n't|;|she'd|'ve");
  EXPECT_EQ(words("the dog's and the dogs' bones"), "the|dog|'s|and|the|dogs|'|bones");
  EXPECT_EQ(words("I cannot and I'm gonna"), "I|can|not|and|I|'m|gon|na");
  EXPECT_EQ(words("CAN'T"), "CA|N'T");
}

TEST(PtbTokenizer, WhatIsNoTextHasNoWords) {
  EXPECT_THAT(ptb_words(""), IsEmpty());
  EXPECT_THAT(ptb_words(" \t "), IsEmpty());
  EXPECT_THAT(spaced_words("  "), IsEmpty());
}

TEST(PtbTokenizer, TokenisedTextIsLeftAlone) {
  EXPECT_THAT(spaced_words(" do n't  (say) \"it.\""),
              ::testing::ElementsAre("do", "n't", "(say)", "\"it.\""));
}

// What is tokenised stays as it is.
TEST(PtbTokenizer, IsIdempotentOnItsOwnOutput) {
  for (const char* text :
       {"They'll say \"no\" (again).", "Mr. Smith's $5 -- 1,000%?", "I cannot."}) {
    const std::vector<std::string> once = ptb_words(text);
    EXPECT_EQ(ptb_words(fmt::format("{}", fmt::join(once, " "))), once) << text;
  }
}

}  // namespace
}  // namespace yona
