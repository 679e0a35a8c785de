#include "yona/trees/tree_drawing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/text/display.h"
#include "yona/trees/tree_reader.h"

#include "tests/trees/random_tree.h"

namespace yona::testing {
namespace {

constexpr const char* kCat = "(S (NP (DT the) (NN cat)) (VP (VBZ sleeps)))";

TEST(TreeDrawing, DrawsFromTheRootDown) {
  EXPECT_EQ(drawn(tree_of(kCat)),
            "        S\n"
            "   ┌────┴────┐\n"
            "  NP        VP\n"
            " ┌─┴──┐      │\n"
            "DT   NN     VBZ\n"
            "the  cat  sleeps\n");
  EXPECT_EQ(drawn(tree_of(kCat), {.lines = TreeLines::ascii}),
            "        S\n"
            "   .----+----.\n"
            "  NP        VP\n"
            " .-+--.      |\n"
            "DT   NN     VBZ\n"
            "the  cat  sleeps\n");
}

TEST(TreeDrawing, MarksAChildBelowItsParent) {
  EXPECT_EQ(drawn(tree_of("(S (A a) (B b) (C c))")), "   S\n┌──┼──┐\nA  B  C\na  b  c\n");
}

TEST(TreeDrawing, IsAnOutlineWhereItIsTooWide) {
  EXPECT_EQ(drawn(tree_of(kCat), {.columns = 15}),
            "S\n"
            "├─ NP\n"
            "│  ├─ DT the\n"
            "│  └─ NN cat\n"
            "└─ VP\n"
            "   └─ VBZ sleeps\n");
  EXPECT_EQ(drawn(tree_of(kCat), {.columns = 15, .lines = TreeLines::ascii}),
            "S\n"
            "|- NP\n"
            "|  |- DT the\n"
            "|  `- NN cat\n"
            "`- VP\n"
            "   `- VBZ sleeps\n");
  EXPECT_EQ(drawn(tree_of(kCat), {.columns = 16}), drawn(tree_of(kCat), {.columns = 0}));
}

TEST(TreeDrawing, CountsWideCharactersAndHidesControls) {
  EXPECT_EQ(drawn(tree_of("(S (N 猫) (V 眠る))")), "   S\n ┌─┴──┐\n N    V\n猫  眠る\n");
  EXPECT_EQ(drawn(tree_of("(N \x1B[31m)")), "  N\n␛[31m\n");
}

TEST(TreeDrawing, NeverIsWiderThanAllowed) {
  RandomSequence random(6);
  for (int round = 0; round < 200; ++round) {
    const Tree tree = random_tree(random, 12);
    const std::string text = drawn(tree, {.columns = 60});
    if (text.find("─ ") != std::string::npos && text.starts_with(tree.nodes()[0].label)) {
      continue;  // the outline
    }
    std::size_t begin = 0;
    for (std::size_t end = text.find('\n'); end != text.npos; end = text.find('\n', begin)) {
      EXPECT_LE(display_width(text.substr(begin, end - begin)), 60);
      begin = end + 1;
    }
  }
}

TEST(TreeDrawing, RefusesTreesThatAreTooLarge) {
  EXPECT_EQ(drawn(Tree()), "");
  EXPECT_NO_THROW(drawn(deep_tree(kMostDrawnNodes - 1)));
  try {
    drawn(deep_tree(100'000));
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(
        error.what(),
        "tree: there are 100001 nodes; drawings have 2000 at most, brackets have no limit");
  }
}

}  // namespace
}  // namespace yona::testing
