#include "yona/trees/treebank.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/trees/tree_reader.h"
#include "yona/trees/tree_text.h"

#include "tests/harness/temp_dir.h"
#include "tests/trees/random_tree.h"

namespace yona {
namespace {

using ::testing::HasSubstr;
using testing::message_of;

TEST(Treebank, ReadsTreesAsAParserLearnsThem) {
  const testing::TempDir folder;
  testing::write_bytes(folder / "a.mrg",
                       "( (S (NP-SBJ-1 (DT The) (NN cat))\n   (VP (VBZ sleeps) (S (-NONE- *))) ))\n"
                       "( (X (-NONE- *T*)) )\n");
  testing::write_bytes(folder / "b.mrg", "(TOP (NP (NN dogs)))");
  const std::vector<Tree> trees = read_treebank({folder / "a.mrg", folder / "b.mrg"});
  ASSERT_EQ(trees.size(), 2U);
  EXPECT_EQ(to_brackets(trees[0]), "(S (NP (DT The) (NN cat)) (VP (VBZ sleeps)))");
  EXPECT_EQ(to_brackets(trees[1]), "(NP (NN dogs))");
}

TEST(Treebank, AFileWithoutTreesIsRefused) {
  const testing::TempDir folder;
  testing::write_bytes(folder / "none.mrg", "\n \n");
  EXPECT_EQ(message_of<FormatError>([&] { read_treebank({folder / "none.mrg"}); }),
            (folder / "none.mrg").string() +
                ": has no trees; expected Penn Treebank brackets, (S (NP …) …)");
}

TEST(Treebank, UnbalancedBracketsAreRefusedWithFileAndLine) {
  const testing::TempDir folder;
  testing::write_bytes(folder / "a.mrg", "(S (NP (NN dogs)))\n(S (NP (NN cats))\n");
  EXPECT_THAT(message_of<FormatError>([&] { read_treebank({folder / "a.mrg"}); }),
              HasSubstr("a.mrg:3: the file ends inside the tree that begins at line 2"));
  testing::write_bytes(folder / "b.mrg", "(S (NP (NN dogs))))\n");
  EXPECT_THAT(message_of<FormatError>([&] { read_treebank({folder / "b.mrg"}); }),
              HasSubstr("b.mrg:1: a closing bracket has no opening one"));
}

TEST(Treebank, ModelsReadWordsAsTextWithTheTreebanksQuotes) {
  const std::vector<std::string> words{"-LRB-", "1\\/2", "\"", "so", "\"", "``", "''"};
  EXPECT_EQ(model_line(words), "( 1/2 `` so '' `` ''");
  EXPECT_EQ(model_line({}), "");
}

TEST(Treebank, SymbolsOfATreeGiveTheTreeBack) {
  RandomSequence random(3);
  for (int i = 0; i < 200; ++i) {
    const Tree tree = testing::random_tree(random, 1 + random.below(30));
    const Tree back = tree_of_symbols(symbol_line(tree, LeafSymbol::tag), tree.words());
    EXPECT_EQ(back.constituents(), tree.constituents());
    EXPECT_EQ(back.words(), tree.words());
    for (std::size_t word = 0; word < tree.tags().size(); ++word) {
      EXPECT_TRUE(tree.tags()[word] == kWordSymbol || back.tags()[word] == tree.tags()[word]);
    }
  }
}

TEST(Treebank, PlaceholdersOfPunctuationBecomeItsTags) {
  const std::vector<std::string> words{"Dogs", ",", "(", "."};
  EXPECT_EQ(to_brackets(tree_of_symbols("(S (NP XX )NP XX XX XX )S", words)),
            "(S (NP (XX Dogs)) (, ,) (-LRB- -LRB-) (. .))");
}

}  // namespace
}  // namespace yona
