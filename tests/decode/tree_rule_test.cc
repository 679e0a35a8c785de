#include "yona/decode/tree_rule.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "yona/base/random.h"
#include "yona/trees/tree_reader.h"
#include "yona/trees/treebank.h"

namespace yona {
namespace {

Vocabulary symbols() {
  return Vocabulary({"</s>", "<unk>", "(S", "(NP", ")NP", ")S", "DT", "NN", "<pad>"});
}

std::set<std::string> allowed(const std::vector<std::string>& output,
                              const std::vector<std::string>& words,
                              const Vocabulary& vocabulary = symbols()) {
  const TreeRule rule(std::make_shared<const TreeSymbols>(vocabulary), words);
  Ids ids;
  for (const std::string& symbol : output) {
    ids.push_back(vocabulary.id(symbol));
  }
  Ids bans;
  rule.append_bans(ids, bans);
  std::set<std::string> may;
  for (std::int32_t id = 0; id + 1 < vocabulary.size(); ++id) {
    if (std::find(bans.begin(), bans.end(), id) == bans.end()) {
      may.insert(vocabulary.piece(id));
    }
  }
  return may;
}

std::set<std::string> allowed(const std::vector<std::string>& output, std::size_t words) {
  return allowed(output, std::vector<std::string>(words, "w"));
}

using Symbols = std::set<std::string>;

TEST(TreeRule, ATreeBeginsWithABracketThatIsNotClosedBeforeItHasAWord) {
  EXPECT_EQ(allowed({}, 2), (Symbols{"(S", "(NP"}));
  EXPECT_EQ(allowed({"(S"}, 2), (Symbols{"(S", "(NP", "DT", "NN"}));
}

TEST(TreeRule, BracketsCloseFromTheInsideAndTheRootWithTheLastWord) {
  EXPECT_EQ(allowed({"(S", "(NP", "DT"}, 2), (Symbols{"(S", "(NP", "DT", "NN", ")NP"}));
  EXPECT_EQ(allowed({"(S", "DT"}, 2), (Symbols{"(S", "(NP", "DT", "NN"}));
  EXPECT_EQ(allowed({"(S", "(NP", "DT", "NN"}, 2), (Symbols{")NP"}));
  EXPECT_EQ(allowed({"(S", "(NP", "DT", "NN", ")NP"}, 2), (Symbols{")S"}));
  EXPECT_EQ(allowed({"(S", "(NP", "DT", "NN", ")NP", ")S"}, 2), (Symbols{"</s>"}));
}

TEST(TreeRule, BracketsAreNotOpenedForEver) {
  const std::vector<std::string> many(TreeRule::kMostOpened, "(S");
  EXPECT_EQ(allowed(many, 1), (Symbols{"DT", "NN"}));
}

TEST(TreeRule, PunctuationMarksGetTagsOfPunctuationAndWordsDoNot) {
  const Vocabulary tags({"</s>", "<unk>", "(S", ")S", "NN", ",", ".", "POS", "<pad>"});
  const std::vector<std::string> words{"cats", ",", "dogs", "'", "."};
  EXPECT_EQ(allowed({"(S"}, words, tags), (Symbols{"(S", "NN", "POS"}));
  EXPECT_EQ(allowed({"(S", "NN"}, words, tags), (Symbols{"(S", ",", "."}));
  EXPECT_EQ(allowed({"(S", "NN", ","}, words, tags), (Symbols{"(S", "NN", "POS"}));
  EXPECT_EQ(allowed({"(S", "NN", ",", "NN"}, words, tags),
            (Symbols{"(S", "NN", ",", ".", "POS"}));  // an apostrophe may be either
  EXPECT_EQ(allowed({"(S", "NN", ",", "NN", "POS"}, words, tags), (Symbols{"(S", ",", "."}));
  // Placeholders say nothing of punctuation.
  const Vocabulary placeholders({"</s>", "<unk>", "(S", ")S", "XX", "<pad>"});
  EXPECT_EQ(allowed({"(S"}, {",", "a"}, placeholders), (Symbols{"(S", "XX"}));
}

// Whatever a model prefers, the end is a tree that needs no repair.
TEST(TreeRule, AnyPathToTheEndIsATreeOverTheWords) {
  const Vocabulary vocabulary = symbols();
  const auto table = std::make_shared<const TreeSymbols>(vocabulary);
  RandomSequence random(11);
  for (int round = 0; round < 200; ++round) {
    const std::vector<std::string> words(1 + random.below(6), "w");
    const TreeRule rule(table, words);
    Ids ids;
    std::vector<std::string> output;
    while (ids.empty() || ids.back() != vocabulary.end()) {
      ASSERT_LT(ids.size(), 2000U);
      Ids bans;
      rule.append_bans(ids, bans);
      Ids may;
      for (std::int32_t id = 0; id + 1 < vocabulary.size(); ++id) {
        if (std::find(bans.begin(), bans.end(), id) == bans.end()) {
          may.push_back(id);
        }
      }
      ASSERT_FALSE(may.empty());
      ids.push_back(may[random.below(may.size())]);
      output.push_back(vocabulary.piece(ids.back()));
    }
    output.pop_back();
    Repairs repairs;
    const Tree tree = tree_from(output, words, &repairs);
    EXPECT_FALSE(repairs.any());
    EXPECT_EQ(tree.words().size(), words.size());
  }
}

}  // namespace
}  // namespace yona
