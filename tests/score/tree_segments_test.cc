#include "yona/score/tree_segments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

namespace yona {
namespace {

using ::testing::ElementsAre;

std::string reason_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const FormatError& error) {
    return error.what();
  }
  return "";
}

TEST(TreeSegments, KeepsOneTreeALine) {
  EXPECT_THAT(tree_segments({"f", {"(S (NN a))", "", "( (S (NN b)))"}}).lines,
              ElementsAre("(S (NN a))", "", "( (S (NN b)))"));
  EXPECT_THAT(tree_segments({"f", {"(S (NN a)", "(S (NN b))"}}).lines,
              ElementsAre("(S (NN a)", "(S (NN b))"));
  EXPECT_THAT(tree_segments({"f", {}}).lines, ElementsAre());
}

TEST(TreeSegments, JoinsTreesOfSeveralLines) {
  EXPECT_THAT(tree_segments({"f", {"", "( (S", "    (NN a)", "))", "(NP", "  (NN b))"}}).lines,
              ElementsAre("(TOP (S (NN a)))", "(NP (NN b))"));
}

TEST(TreeSegments, SaysWhereATreeIsBroken) {
  EXPECT_EQ(reason_of([] {
              tree_segments({"gold.mrg", {"( (S", "    (NN a)", ")"}});
            }),
            "gold.mrg:4: the file ends inside the tree that begins at line 1");
  EXPECT_EQ(reason_of([] {
              check_gold_trees({"gold.mrg", {"(S (NN a))", "(S (NN b)"}});
            }),
            "gold.mrg:2: a bracket is not closed");
  EXPECT_EQ(reason_of([] {
              check_gold_trees({"gold.mrg", {"a cat"}});
            }),
            "gold.mrg:1: a word is not in a bracket of its own, (TAG word)");
  EXPECT_EQ(reason_of([] { check_gold_trees({"gold.mrg", {"", "(S (NN b))"}}); }), "");
}

}  // namespace
}  // namespace yona
