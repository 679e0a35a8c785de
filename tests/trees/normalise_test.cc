#include "yona/trees/normalise.h"

#include <gtest/gtest.h>

#include "yona/trees/tree_reader.h"
#include "yona/trees/tree_text.h"

#include "tests/trees/random_tree.h"

namespace yona::testing {
namespace {

std::string normal_form(std::string_view text) { return to_brackets(normalised(tree_of(text))); }

TEST(Normalise, CutsFunctionTagsAndIndexes) {
  EXPECT_EQ(bare_label("NP-SBJ-1"), "NP");
  EXPECT_EQ(bare_label("NP=2"), "NP");
  EXPECT_EQ(bare_label("PP-LOC=3"), "PP");
  EXPECT_EQ(bare_label("ADVP|PRT"), "ADVP|PRT");
  EXPECT_EQ(bare_label("-LRB-"), "-LRB-");
  EXPECT_EQ(bare_label("-RRB-"), "-RRB-");
  EXPECT_EQ(bare_label("-NONE-"), "-NONE-");
  EXPECT_EQ(normal_form("(S (NP-SBJ-1 (-LRB- -LRB-) (PRP$ its)))"),
            "(S (NP (-LRB- -LRB-) (PRP$ its)))");
}

TEST(Normalise, KeepsTagsAsTheyAre) {
  EXPECT_EQ(normal_form("(S (NN-X a) (VB=1 b))"), "(S (NN-X a) (VB=1 b))");
}

TEST(Normalise, RemovesTracesAndWhatTheyLeaveEmpty) {
  EXPECT_EQ(normal_form("(S (NP (PRP it)) (VP (VBD was) (NP (-NONE- *-1)) (SBAR (-NONE- 0) (S "
                        "(NP (-NONE- *T*)) (VP (VB go))))))"),
            "(S (NP (PRP it)) (VP (VBD was) (SBAR (S (VP (VB go))))))");
  EXPECT_EQ(normal_form("(S (NP (-NONE- *)) (VP (-NONE- *?*)))"), "");
  EXPECT_EQ(normal_form("(-NONE- *)"), "");
  EXPECT_EQ(normal_form("(S (NN a) (NP (X (-NONE- *))))"), "(S (NN a))");
}

TEST(Normalise, HandlesTheOuterBracket) {
  EXPECT_EQ(normal_form("( (S (NN a)) )"), "(S (NN a))");
  EXPECT_EQ(normal_form("(TOP (S (NN a)))"), "(S (NN a))");
  EXPECT_EQ(normal_form("(ROOT (TOP (S1 (S (NN a)))))"), "(S (NN a))");
  EXPECT_EQ(normal_form("( (NP (-NONE- *)) (S (NN a)) )"), "(S (NN a))");
  EXPECT_EQ(normal_form("( (S (NN a)) (. .) )"), "(TOP (S (NN a)) (. .))");
  EXPECT_EQ(normal_form("(ROOT (NP (NN a)) (NP (NN b)))"), "(TOP (NP (NN a)) (NP (NN b)))");
  EXPECT_EQ(normal_form("( (UH yes) )"), "(TOP (UH yes))");
  EXPECT_EQ(normal_form("(UH yes)"), "(TOP (UH yes))");
  EXPECT_EQ(normal_form(""), "");
}

TEST(Normalise, KeepsChainsOverTheSameWords) {
  EXPECT_EQ(normal_form("( (S (VP-A (VP-B (VB go)))) )"), "(S (VP (VP (VB go))))");
}

TEST(Normalise, ChangesNothingTheSecondTime) {
  RandomSequence random(2);
  for (std::size_t i = 0; i < 300; ++i) {
    const Tree once = normalised(random_tree(random, i % 50));
    EXPECT_EQ(normalised(once), once);
    EXPECT_FALSE(once.nodes()[0].is_leaf());
  }
}

TEST(Normalise, TakesAHundredThousandLevels) {
  EXPECT_EQ(normalised(deep_tree(100'000)), deep_tree(100'000));
}

}  // namespace
}  // namespace yona::testing
