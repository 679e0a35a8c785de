#include "yona/trees/substitution.h"

#include <set>

#include <gtest/gtest.h>

#include "yona/trees/tree_reader.h"
#include "yona/trees/tree_text.h"

#include "tests/trees/random_tree.h"

namespace yona {
namespace {

std::vector<Tree> two_trees() {
  return {tree_of("(S (NP (DT the) (NN cat)) (VP (VBZ sleeps)))"),
          tree_of("(S (NP (DT a) (NN dog)) (VP (VBZ barks)))")};
}

TEST(TreeSubstitution, NothingIsReplacedWithProbabilityZero) {
  const std::vector<Tree> trees = two_trees();
  const TreeSubstitution substitution(trees);
  EXPECT_EQ(substitution.draw(trees[0], 0.0, 1), trees[0]);
}

TEST(TreeSubstitution, ConstituentsAreReplacedByOthersOfTheirLabelAndTheRootStays) {
  const std::vector<Tree> trees = two_trees();
  const TreeSubstitution substitution(trees);
  std::set<std::string> seen;
  for (std::uint64_t key = 0; key < 100; ++key) {
    seen.insert(to_brackets(substitution.draw(trees[0], 0.5, key)));
  }
  EXPECT_EQ(seen, (std::set<std::string>{"(S (NP (DT the) (NN cat)) (VP (VBZ sleeps)))",
                                         "(S (NP (DT the) (NN cat)) (VP (VBZ barks)))",
                                         "(S (NP (DT a) (NN dog)) (VP (VBZ sleeps)))",
                                         "(S (NP (DT a) (NN dog)) (VP (VBZ barks)))"}));
}

TEST(TreeSubstitution, ADrawIsAFunctionOfItsKeyAndAlwaysATree) {
  RandomSequence random(5);
  std::vector<Tree> trees;
  for (int i = 0; i < 50; ++i) {
    trees.push_back(testing::random_tree(random, 40));
  }
  const TreeSubstitution substitution(trees);
  std::size_t changed = 0;
  for (std::uint64_t key = 0; key < 200; ++key) {
    const Tree& tree = trees[key % trees.size()];
    const Tree drawn = substitution.draw(tree, 0.3, key);
    EXPECT_EQ(drawn, substitution.draw(tree, 0.3, key));
    EXPECT_EQ(tree_of(to_brackets(drawn)), drawn);
    EXPECT_EQ(drawn.nodes()[0].label, tree.nodes()[0].label);
    changed += drawn != tree ? 1 : 0;
  }
  EXPECT_GT(changed, 100U);
}

}  // namespace
}  // namespace yona
