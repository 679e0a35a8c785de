#include "yona/trees/linearise.h"

#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/trees/escapes.h"
#include "yona/trees/tree_reader.h"
#include "yona/trees/tree_text.h"

#include "tests/trees/random_tree.h"

namespace yona::testing {
namespace {

std::vector<std::string> split_words(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) {
    words.push_back(word);
  }
  return words;
}

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

// The repaired tree of symbols and words between spaces.
std::string repaired(const std::string& symbols, const std::string& words,
                     Repairs* repairs = nullptr) {
  return to_brackets(tree_from(split_words(symbols), split_words(words), repairs));
}

TEST(Linearise, WritesPlaceholdersOrTags) {
  const Tree tree = tree_of("(S (NP (DT the) (NN cat)) (VP (VBZ sleeps)) (. .))");
  EXPECT_EQ(joined(linearised(tree)), "(S (NP XX XX )NP (VP XX )VP XX )S");
  EXPECT_EQ(joined(linearised(tree, LeafSymbol::tag)), "(S (NP DT NN )NP (VP VBZ )VP . )S");
  EXPECT_TRUE(linearised(Tree()).empty());
}

TEST(Linearise, GivesTheTreeBack) {
  Repairs repairs;
  EXPECT_EQ(repaired("(S (NP DT NN )NP (VP VBZ )VP )S", "the cat sleeps", &repairs),
            "(S (NP (DT the) (NN cat)) (VP (VBZ sleeps)))");
  EXPECT_FALSE(repairs.any());
  EXPECT_EQ(repaired("(S (NP XX )NP )S", "cats", &repairs), "(S (NP (XX cats)))");
  EXPECT_FALSE(repairs.any());
}

TEST(Linearise, EscapesBracketsInWords) {
  EXPECT_EQ(repaired("(S XX XX XX )S", "( f(x) -LRB-"),
            "(S (XX -LRB-) (XX f-LRB-x-RRB-) (XX -LRB-))");
}

TEST(Linearise, RepairsMissingAndExtraBrackets) {
  Repairs repairs;
  EXPECT_EQ(repaired("(S (NP XX", "a", &repairs), "(S (NP (XX a)))");
  EXPECT_EQ(repairs.unclosed, 2U);
  EXPECT_EQ(repaired("(S (NP (VP XX )NP XX )S", "a b", &repairs), "(S (NP (VP (XX a))) (XX b))");
  EXPECT_EQ(repairs.unclosed, 1U);
  EXPECT_EQ(repaired(")NP (S XX )VP )S )S", "a", &repairs), "(S (XX a))");
  EXPECT_EQ(repairs.unopened, 3U);
  EXPECT_EQ(repaired("(S (NP XX ) XX ) )", "a b", &repairs), "(S (NP (XX a)) (XX b))");
  EXPECT_EQ(repairs.unopened, 1U);
}

TEST(Linearise, RepairsTheNumberOfWords) {
  Repairs repairs;
  EXPECT_EQ(repaired("(S (NP XX XX XX )NP )S", "a", &repairs), "(S (NP (XX a)))");
  EXPECT_EQ(repairs.extra_words, 2U);
  EXPECT_EQ(repaired("(S (NP NN )NP )S", "a b c", &repairs), "(S (NP (NN a)) (XX b) (XX c))");
  EXPECT_EQ(repairs.lost_words, 2U);
  EXPECT_EQ(repairs.roots, 0U);
  EXPECT_EQ(repaired("(S (NP NN", "a b", &repairs), "(S (NP (NN a)) (XX b))");
}

TEST(Linearise, RemovesBracketsWithoutWords) {
  Repairs repairs;
  EXPECT_EQ(repaired("(S (NP )NP (VP (X (Y )Y )X XX )VP )S", "a", &repairs), "(S (VP (XX a)))");
  EXPECT_EQ(repairs.empty, 3U);
}

TEST(Linearise, AddsARootWhereThereIsNotOne) {
  Repairs repairs;
  EXPECT_EQ(repaired("", "a b", &repairs), "(TOP (XX a) (XX b))");
  EXPECT_EQ(repairs.roots, 1U);
  EXPECT_EQ(repairs.lost_words, 2U);
  EXPECT_EQ(repaired("XX", "a", &repairs), "(TOP (XX a))");
  EXPECT_EQ(repaired("(NP XX )NP (VP XX )VP", "a b", &repairs), "(TOP (NP (XX a)) (VP (XX b)))");
  EXPECT_EQ(repaired("(NP XX )NP (VP XX )VP", "a b c", &repairs),
            "(TOP (NP (XX a)) (VP (XX b)) (XX c))");
  EXPECT_EQ(repaired("(NP )NP (VP XX )VP", "a", &repairs), "(VP (XX a))");
  EXPECT_EQ(repairs.roots, 0U);
  EXPECT_EQ(repaired("(S XX )S", "", &repairs), "");
  EXPECT_EQ(repairs.roots, 0U);
}

TEST(Linearise, IgnoresWhatIsNoSymbol) {
  Repairs repairs;
  const std::vector<std::string> symbols{"(", "", "(N P", "(S(NP", "(S", "X)", "\xFF", "NN", ")S"};
  const std::vector<std::string> words{"a"};
  EXPECT_EQ(to_brackets(tree_from(symbols, words, &repairs)), "(S (NN a))");
  EXPECT_EQ(repairs.ignored, 6U);
}

TEST(Linearise, RefusesWordsThatNoTreeCanHold) {
  const std::vector<std::string> symbols{"(S", "XX", ")S"};
  for (const char* word : {"", "a b", "\n", "\xC3"}) {
    const std::vector<std::string> words{"a", word};
    EXPECT_THROW(tree_from(symbols, words), InvalidArgument) << word;
  }
}

TEST(Linearise, RoundTripsRandomTrees) {
  RandomSequence random(3);
  for (std::size_t i = 0; i < 1000; ++i) {
    const Tree tree = random_tree(random, i % 80);
    Repairs repairs;
    EXPECT_EQ(tree_from(linearised(tree, LeafSymbol::tag), tree.words(), &repairs), tree);
    EXPECT_FALSE(repairs.any());
    const std::vector<std::string> placeholders(tree.words().size(), "XX");
    EXPECT_EQ(tree_from(linearised(tree), tree.words()), with_tags(tree, placeholders));
  }
}

// Whatever the symbols: a tree that is read back as it is, over exactly the words.
TEST(Linearise, RepairsAnyString) {
  RandomSequence random(4);
  for (int i = 0; i < 5000; ++i) {
    std::vector<std::string> symbols;
    for (std::uint64_t count = random.below(40); count > 0; --count) {
      symbols.push_back(any_of<16>(random, {"(S", "(S", "(NP", "(NP", "(VP", ")S", ")S", ")NP",
                                            ")NP", ")VP", "XX", "XX", "NN", ")", "(", "a b"}));
    }
    std::vector<std::string> words;
    std::vector<std::string> escaped;
    for (std::uint64_t count = random.below(8); count > 0; --count) {
      words.push_back(random_word(random) + (random.below(5) == 0 ? "(" : ""));
      escaped.push_back(escaped_word(words.back()));
    }
    const Tree tree = tree_from(symbols, words);
    EXPECT_EQ(tree.words(), escaped) << joined(symbols);
    EXPECT_EQ(tree_of(to_brackets(tree)), tree) << joined(symbols);
    EXPECT_EQ(tree.empty(), words.empty());
    EXPECT_TRUE(tree.empty() || !tree.nodes()[0].is_leaf());
    Repairs again;
    EXPECT_EQ(tree_from(linearised(tree, LeafSymbol::tag), tree.words(), &again), tree);
    EXPECT_FALSE(again.any());
  }
}

TEST(Linearise, TakesAHundredThousandBrackets) {
  const Tree tree = deep_tree(100'000);
  EXPECT_EQ(tree_from(linearised(tree, LeafSymbol::tag), tree.words()), tree);
  const std::vector<std::string> words{"a"};
  std::vector<std::string> symbols(100'000, "(S");
  symbols.resize(200'000, ")NP");
  Repairs repairs;
  EXPECT_TRUE(tree_from(symbols, words, &repairs).depth() == 2U);
  EXPECT_EQ(repairs.unopened, 100'000U);
  EXPECT_EQ(repairs.empty, 100'000U);
}

}  // namespace
}  // namespace yona::testing
