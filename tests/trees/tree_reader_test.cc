#include "yona/trees/tree_reader.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/trees/tree_text.h"

#include "tests/harness/temp_dir.h"
#include "tests/trees/random_tree.h"

namespace yona::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> read_all_trees(std::string_view text) {
  TreeReader reader(open_bytes(text, "trees.mrg"), "trees.mrg");
  std::vector<std::string> trees;
  for (Tree tree; reader.next(tree);) {
    trees.push_back(to_brackets(tree));
  }
  return trees;
}

std::string reading_error(std::string_view text) {
  try {
    read_all_trees(text);
  } catch (const FormatError& error) {
    return error.what();
  }
  return "";
}

TEST(TreeReader, ReadsTreesOverSeveralLinesAndOneALine) {
  const std::string several =
      "\n( (S \n    (NP-SBJ (DT the) (NN cat) )\n    (VP (VBZ sleeps) )\n    (. .) ))\n"
      "( (NP (NN end) ))\n";
  EXPECT_THAT(
      read_all_trees(several),
      ElementsAre("( (S (NP-SBJ (DT the) (NN cat)) (VP (VBZ sleeps)) (. .)))", "( (NP (NN end)))"));
  EXPECT_THAT(read_all_trees("(S (NN a))\r\n(S(NN b))(NN c)"),
              ElementsAre("(S (NN a))", "(S (NN b))", "(NN c)"));
  EXPECT_THAT(read_all_trees("\xEF\xBB\xBF(S (NN a\n))"), ElementsAre("(S (NN a))"));
  EXPECT_THAT(read_all_trees(""), ElementsAre());
  EXPECT_THAT(read_all_trees(" \n\t\n"), ElementsAre());
}

TEST(TreeReader, SaysWhereATreeBegan) {
  TreeReader reader(open_bytes("\n\n(S\n(NN a))\n (NN b)", "t"), "t");
  Tree tree;
  ASSERT_TRUE(reader.next(tree));
  EXPECT_EQ(reader.first_line(), 3U);
  EXPECT_EQ(reader.line(), 4U);
  ASSERT_TRUE(reader.next(tree));
  EXPECT_EQ(reader.first_line(), 5U);
  EXPECT_FALSE(reader.next(tree));
}

TEST(TreeReader, ReadsFilesAndArchives) {
  const TempDir folder;
  write_bytes(folder / "one.mrg", "(S (NN a))\n(S (NN b))\n");
  EXPECT_EQ(read_trees(folder / "one.mrg").size(), 2U);
  const std::string command = fmt::format("gzip -k {0}", (folder / "one.mrg").string());
  ASSERT_EQ(std::system(command.c_str()), 0);  // NOLINT: a test's own command
  EXPECT_EQ(read_trees(folder / "one.mrg.gz"), read_trees(folder / "one.mrg"));
  EXPECT_THROW(read_trees(folder / "none.mrg"), IoError);
}

TEST(TreeReader, RefusesWhatIsNoTreeWithItsLine) {
  EXPECT_EQ(reading_error("(S (NN a))\nword\n"),
            "trees.mrg:2: the word 'word' is outside of a bracket");
  EXPECT_EQ(reading_error("(S\n (NP)\n (NN a))"), "trees.mrg:2: the bracket (NP) is empty");
  EXPECT_EQ(reading_error("()"), "trees.mrg:1: the bracket () is empty");
  EXPECT_EQ(reading_error("(S (NN a)))"), "trees.mrg:1: a closing bracket has no opening one");
  EXPECT_EQ(reading_error("(NN a)\n\n(S\n (NN b)\n"),
            "trees.mrg:5: the file ends inside the tree that begins at line 3");
  EXPECT_EQ(reading_error("(S"),
            "trees.mrg:1: the file ends inside the tree that begins at line 1");
  EXPECT_EQ(reading_error("(S (NN a) dog)"),
            "trees.mrg:1: the word 'dog' is in a bracket with others; it needs one of its own, "
            "(TAG dog)");
  EXPECT_EQ(reading_error("(S the (NN a))"),
            "trees.mrg:1: the word 'the' is in a bracket with others; it needs one of its own, "
            "(TAG the)");
  EXPECT_EQ(reading_error("(NP the dog)"),
            "trees.mrg:1: the word 'dog' is in a bracket with others; it needs one of its own, "
            "(TAG dog)");
  EXPECT_EQ(reading_error("( word)"), "trees.mrg:1: the word 'word' is in a bracket without a tag");
  EXPECT_EQ(reading_error("(S ( (NN a)))"), "trees.mrg:1: a bracket inside a tree has no label");
  EXPECT_THAT(reading_error("(S (NN \xFF))"), HasSubstr("trees.mrg:1: '"));
  EXPECT_THAT(reading_error("(S (NN \xFF))"), HasSubstr("is not valid UTF-8"));
}

TEST(TreeReader, ReadsOneTreeFromAString) {
  EXPECT_EQ(to_brackets(tree_of(" (S (NN a))\n")), "(S (NN a))");
  EXPECT_TRUE(tree_of(" ").empty());
  EXPECT_THROW(tree_of("(S (NN a))\n(NN b)"), FormatError);
}

TEST(TreeReader, ReadsAHundredThousandLevels) {
  const Tree tree = deep_tree(100'000);
  EXPECT_EQ(tree_of(to_brackets(tree)), tree);
  EXPECT_EQ(tree_of(to_indented(tree)), tree);
  EXPECT_THAT(reading_error(std::string(100'000, '(')), HasSubstr("has no label"));
}

TEST(TreeReader, LimitsTheNodesOfATree) {
  std::string text;
  for (std::size_t i = 0; i < TreeReader::kMostNodes + 1; ++i) {
    text += "(S\n";
  }
  EXPECT_EQ(reading_error(text),
            "trees.mrg:1048577: the tree that begins at line 1 has more than "
            "1048576 nodes");
}

TEST(TreeReader, ReadsBackWhatIsWritten) {
  RandomSequence random(1);
  for (std::size_t i = 0; i < 500; ++i) {
    const Tree tree = random_tree(random, i % 60);
    EXPECT_EQ(tree_of(to_brackets(tree)), tree);
    EXPECT_EQ(tree_of(to_indented(tree)), tree);
  }
}

}  // namespace
}  // namespace yona::testing
