#include "yona/trees/tree_text.h"

#include <gtest/gtest.h>

#include "yona/trees/tree_reader.h"

#include "tests/trees/random_tree.h"

namespace yona::testing {
namespace {

constexpr const char* kSentence =
    "(S (NP (NP (DT the) (NN cat)) (PP (IN on) (NP (NN top)))) (VP (VBZ sleeps)) (. .))";

TEST(TreeText, WritesOneLine) {
  EXPECT_EQ(to_brackets(tree_of(kSentence)), kSentence);
  EXPECT_EQ(to_brackets(Tree()), "");
  EXPECT_EQ(to_brackets(tree_of("(NN a)")), "(NN a)");
}

TEST(TreeText, WritesIndentedLines) {
  EXPECT_EQ(to_indented(tree_of(kSentence)),
            "(S\n"
            "  (NP\n"
            "    (NP (DT the) (NN cat))\n"
            "    (PP (IN on)\n"
            "      (NP (NN top))))\n"
            "  (VP (VBZ sleeps))\n"
            "  (. .))");
  EXPECT_EQ(to_indented(Tree()), "");
}

TEST(TreeText, IndentsDeepTreesInLinearSpace) {
  EXPECT_LT(to_indented(deep_tree(100'000)).size(), 100'000U * (2 * kDeepestIndent + 5));
}

TEST(TreeText, GivesFlatJson) {
  const Json json = to_json(tree_of("(S (NP (NN a)) (VB go))"));
  EXPECT_EQ(
      json.dump(),
      R"json({"tree":"(S (NP (NN a)) (VB go))","words":["a","go"],"tags":["NN","VB"],)json"
      R"("constituents":[{"label":"S","begin":0,"end":2},{"label":"NP","begin":0,"end":1}]})");
  EXPECT_EQ(to_json(Tree()).dump(), R"({"tree":"","words":[],"tags":[],"constituents":[]})");
  EXPECT_EQ(to_json(deep_tree(100'000))["constituents"].size(), 100'000U);
  EXPECT_GT(to_json(deep_tree(100'000)).dump().size(), 100'000U);
}

}  // namespace
}  // namespace yona::testing
