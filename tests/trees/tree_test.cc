#include "yona/trees/tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/trees/random_tree.h"

namespace yona::testing {
namespace {

using ::testing::ElementsAre;

Tree small_tree() {
  TreeBuilder builder;
  builder.open("S");
  builder.open("NP");
  builder.leaf("DT", "the");
  builder.leaf("NN", "cat");
  builder.close();
  builder.open("VP");
  builder.leaf("VBZ", "sleeps");
  builder.close();
  builder.close();
  return builder.finish();
}

std::string build_error(const std::function<void(TreeBuilder&)>& steps) {
  TreeBuilder builder;
  try {
    steps(builder);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

TEST(Tree, KeepsNodesInDepthFirstOrderWithTheirEnds) {
  const Tree tree = small_tree();
  std::vector<std::size_t> ends;
  for (const TreeNode& node : tree.nodes()) {
    ends.push_back(node.end);
  }
  EXPECT_THAT(ends, ElementsAre(6, 4, 3, 4, 6, 6));
  EXPECT_EQ(tree.nodes()[4].label, "VP");
  EXPECT_TRUE(tree.nodes()[5].is_leaf());
  EXPECT_FALSE(tree.nodes()[4].is_leaf());
}

TEST(Tree, GivesWordsTagsConstituentsAndDepth) {
  const Tree tree = small_tree();
  EXPECT_THAT(tree.words(), ElementsAre("the", "cat", "sleeps"));
  EXPECT_THAT(tree.tags(), ElementsAre("DT", "NN", "VBZ"));
  EXPECT_THAT(tree.constituents(), ElementsAre(Constituent{"S", 0, 3}, Constituent{"NP", 0, 2},
                                               Constituent{"VP", 2, 3}));
  EXPECT_EQ(tree.depth(), 3U);
  EXPECT_EQ(Tree().depth(), 0U);
  EXPECT_TRUE(Tree().constituents().empty());
}

TEST(Tree, TakesOtherTags) {
  const std::vector<std::string> tags{"A", "B", "C"};
  EXPECT_THAT(with_tags(small_tree(), tags).tags(), ElementsAre("A", "B", "C"));
  EXPECT_EQ(with_tags(small_tree(), tags).constituents(), small_tree().constituents());
  const std::vector<std::string> few{"A", "B"};
  EXPECT_EQ(build_error([&](TreeBuilder&) { with_tags(small_tree(), few); }),
            "tree: there are 2 tags for 3 words");
}

TEST(Tree, OfAHundredThousandLevelsIsCopiedComparedAndWalked) {
  const Tree tree = deep_tree(100'000);
  const Tree copy = tree;
  EXPECT_EQ(copy, tree);
  EXPECT_EQ(copy.depth(), 100'001U);
  EXPECT_EQ(copy.constituents().back(), (Constituent{"S", 0, 1}));
}

TEST(TreeBuilder, RefusesWhatIsNoTree) {
  EXPECT_EQ(build_error([](TreeBuilder& b) { b.close(); }), "tree: no constituent is open");
  EXPECT_EQ(build_error([](TreeBuilder& b) { b.leaf("NN", ""); }),
            "tree: the word of tag 'NN' is empty");
  EXPECT_EQ(build_error([](TreeBuilder& b) {
              b.open("NP");
              b.close();
            }),
            "tree: the constituent NP is empty");
  EXPECT_EQ(build_error([](TreeBuilder& b) {
              b.open("NP");
              b.leaf("NN", "a");
              b.finish();
            }),
            "tree: 1 constituents are open");
  EXPECT_EQ(build_error([](TreeBuilder& b) {
              b.leaf("NN", "a");
              b.leaf("NN", "b");
              b.finish();
            }),
            "tree: there is more than one root");
}

TEST(TreeBuilder, IsEmptyAfterATree) {
  TreeBuilder builder;
  builder.leaf("NN", "a");
  EXPECT_EQ(builder.finish().nodes().size(), 1U);
  EXPECT_TRUE(builder.finish().empty());
}

}  // namespace
}  // namespace yona::testing
