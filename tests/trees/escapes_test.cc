#include "yona/trees/escapes.h"

#include <gtest/gtest.h>

namespace yona {
namespace {

TEST(Escapes, BracketsInWordsAreEscapedAndPlainAgain) {
  EXPECT_EQ(escaped_word("("), "-LRB-");
  EXPECT_EQ(escaped_word("f(x)"), "f-LRB-x-RRB-");
  EXPECT_EQ(escaped_word("-LRB-"), "-LRB-");
  EXPECT_EQ(plain_word("-LRB-"), "(");
  EXPECT_EQ(plain_word(escaped_word("f(x)")), "f(x)");
  EXPECT_EQ(plain_word("-LSB-a-RSB--LCB--RCB-"), "[a]{}");
  EXPECT_EQ(plain_word("1\\/2\\*"), "1/2*");
  EXPECT_EQ(plain_word("-LR"), "-LR");
  EXPECT_EQ(escaped_word("Käse"), "Käse");
}

TEST(Escapes, AtomsAreWhatATreeCanHold) {
  EXPECT_TRUE(is_tree_atom("NP-SBJ"));
  EXPECT_TRUE(is_tree_atom("中文"));
  for (const char* text : {"", "a b", "a\tb", "a\n", "(", "a)b", "\xFF"}) {
    EXPECT_FALSE(is_tree_atom(text)) << text;
  }
}

TEST(Escapes, PunctuationHasTheTagsThatEvalbLeavesOut) {
  EXPECT_EQ(punctuation_tag(","), ",");
  EXPECT_EQ(punctuation_tag("?"), ".");
  EXPECT_EQ(punctuation_tag("--"), ":");
  EXPECT_EQ(punctuation_tag("``"), "``");
  EXPECT_EQ(punctuation_tag("''"), "''");
  EXPECT_EQ(punctuation_tag("-LRB-"), "-LRB-");
  EXPECT_EQ(punctuation_tag("'"), std::nullopt);
  EXPECT_EQ(punctuation_tag("cat"), std::nullopt);
}

}  // namespace
}  // namespace yona
