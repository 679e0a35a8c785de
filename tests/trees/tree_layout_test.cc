#include "yona/trees/tree_layout.h"

#include <gtest/gtest.h>

#include "yona/trees/tree_reader.h"

#include "tests/trees/random_tree.h"

namespace yona::testing {
namespace {

std::int64_t text_size(const TreeNode& node) {
  return static_cast<std::int64_t>(std::max(node.label.size(), node.word.size()));
}

TEST(TreeLayout, PutsParentsInTheMiddleAboveTheirChildren) {
  const TreeLayout layout = tree_layout(tree_of("(S (A aaa) (B bbb) (C ccc))"), text_size, 2);
  EXPECT_EQ(layout.width, 13);
  EXPECT_EQ(layout.levels, 2);
  EXPECT_EQ(layout.places[0].centre, 6);
  EXPECT_EQ(layout.places[2].centre, 6);
  EXPECT_EQ(layout.places[3].left, 10);
}

TEST(TreeLayout, MakesRoomForLongLabels) {
  const TreeLayout layout = tree_layout(tree_of("(LONGLABEL (A a))"), text_size, 2);
  EXPECT_EQ(layout.width, 9);
  EXPECT_EQ(layout.places[1].left, 4);
}

TEST(TreeLayout, KeepsTextInsideTheRoomOfItsNode) {
  const NodePlace place{.left = 10, .width = 8, .centre = 12, .level = 0};
  EXPECT_EQ(text_left(place, 3), 11);
  EXPECT_EQ(text_left(place, 8), 10);
  EXPECT_EQ(text_left({.left = 10, .width = 8, .centre = 16, .level = 0}, 6), 12);
}

TEST(TreeLayout, NeverLetsNodesOfALevelOverlap) {
  RandomSequence random(5);
  for (std::size_t round = 0; round < 200; ++round) {
    const Tree tree = random_tree(random, 40);
    const TreeLayout layout = tree_layout(tree, text_size, 1);
    std::vector<std::int64_t> right(tree.nodes().size(), 0);
    for (std::size_t i = 0; i < tree.nodes().size(); ++i) {
      const NodePlace& place = layout.places[i];
      std::int64_t& used = right[static_cast<std::size_t>(place.level)];
      EXPECT_GE(place.left, used);
      EXPECT_GE(place.width, text_size(tree.nodes()[i]));
      EXPECT_GE(place.centre, place.left);
      EXPECT_LT(place.centre, place.left + place.width);
      used = place.left + place.width + 1;
    }
  }
  EXPECT_EQ(tree_layout(Tree(), text_size, 1).width, 0);
}

}  // namespace
}  // namespace yona::testing
