#include "yona/score/bracket_match.h"

#include <gtest/gtest.h>

#include "yona/trees/tree_text.h"

#include "tests/trees/random_tree.h"

namespace yona::testing {
namespace {

constexpr const char* kGold =
    "(TOP (S (NP (DT the) (NN cat)) (VP (VBZ sleeps) (ADVP (RB now))) (. .)))";

TEST(BracketMatch, CountsTheSameTreeAsComplete) {
  const BracketCounts counts = compare_brackets(kGold, kGold);
  EXPECT_EQ(counts.status, SentenceStatus::valid);
  EXPECT_EQ(counts.length, 5);
  EXPECT_EQ(counts.words, 4);
  EXPECT_EQ(counts.gold, 4);
  EXPECT_EQ(counts.test, 4);
  EXPECT_EQ(counts.matched, 4);
  EXPECT_EQ(counts.crossing, 0);
  EXPECT_EQ(counts.correct_tags, 4);
}

TEST(BracketMatch, TakesAdvpAndPrtAsTheSameAndCutsFunctionTags) {
  const BracketCounts counts = compare_brackets(
      "(S (NP-SBJ=1 (DT the) (NNS cat)) (VP (VBZ sleeps) (PRT-X (RB now))))", kGold);
  EXPECT_EQ(counts.matched, 4);
  EXPECT_EQ(counts.correct_tags, 3);
}

TEST(BracketMatch, CountsEachConstituentOnce) {
  EXPECT_EQ(compare_brackets("(NP (NP (NP (NN a))))", "(NP (NP (NN a)))").matched, 2);
  EXPECT_EQ(compare_brackets("(NP (NN a))", "(NP (NP (NN a)))").matched, 1);
}

TEST(BracketMatch, CountsCrossingConstituentsOfTheParser) {
  const char* gold = "(S (A (X a) (X b)) (B (X c) (X d)))";
  EXPECT_EQ(compare_brackets("(S (X a) (C (X b) (X c)) (X d))", gold).crossing, 1);
  EXPECT_EQ(compare_brackets("(S (C (C (X a) (X b) (X c))) (X d))", gold).crossing, 2);
  EXPECT_EQ(compare_brackets("(S (X a) (C (X b)) (D (X c)) (X d))", gold).crossing, 0);
}

TEST(BracketMatch, LeavesOutSentencesThatCannotBeCompared) {
  const BracketCounts shorter = compare_brackets("(S (NN cat))", kGold);
  EXPECT_EQ(shorter.status, SentenceStatus::error);
  EXPECT_EQ(shorter.reason,
            "there are 1 words, 4 in the gold tree (punctuation left out by its tags)");
  EXPECT_EQ(shorter.gold, 0);
  const BracketCounts other =
      compare_brackets("(S (NP (DT the) (NN dog)) (VP (VBZ sleeps) (RB now)))", kGold);
  EXPECT_EQ(other.reason, "word 2 is 'dog', 'cat' in the gold tree");
  EXPECT_EQ(compare_brackets("", kGold).status, SentenceStatus::skipped);
  EXPECT_EQ(compare_brackets("(S (. .))", kGold).status, SentenceStatus::skipped);
  EXPECT_EQ(compare_brackets("(S (NN a)", "(S (NN a))").reason, "a bracket is not closed");
  EXPECT_EQ(compare_brackets("(S (NN a)", "(S (NN a))").gold, 1);  // EVALB's line shows it
  EXPECT_EQ(compare_brackets("(S (NN a))", "(S (NN a)))").reason,
            "in the gold tree a closing bracket has no opening one");
  EXPECT_EQ(compare_brackets("a", "(S (NN a))").status, SentenceStatus::error);
}

// The plain definition, over all pairs.
std::int64_t plain_crossings(const Tree& test, const Tree& gold) {
  std::int64_t count = 0;
  for (const Constituent& t : test.constituents()) {
    const auto all = gold.constituents();
    count += std::any_of(all.begin(), all.end(), [&](const Constituent& g) {
      return (g.begin < t.begin && t.begin < g.end && g.end < t.end) ||
             (t.begin < g.begin && g.begin < t.end && t.end < g.end);
    });
  }
  return count;
}

// Random brackets over the same words "a a a …", without labels that are ignored.
Tree tree_over(RandomSequence& random, std::size_t words) {
  TreeBuilder builder;
  builder.open("S");
  bool is_empty = true;
  for (std::size_t used = 0; used < words;) {
    const std::uint64_t kind = random.below(5);
    if (kind < 2) {
      builder.open("NP");
      is_empty = true;
    } else if (kind == 2 && !is_empty && builder.open_constituents() > 1) {
      builder.close();
    } else {
      builder.leaf("NN", "a");
      is_empty = false;
      ++used;
    }
  }
  while (builder.open_constituents() > 0) {
    builder.close();
  }
  return builder.finish();
}

TEST(BracketMatch, FindsTheCrossingsOfThePlainDefinition) {
  RandomSequence random(8);
  for (int round = 0; round < 500; ++round) {
    const std::size_t words = 1 + random.below(20);
    const Tree test = tree_over(random, words);
    const Tree gold = tree_over(random, words);
    EXPECT_EQ(compare_brackets(to_brackets(test), to_brackets(gold)).crossing,
              plain_crossings(test, gold));
  }
}

TEST(BracketMatch, TakesAHundredThousandBrackets) {
  const std::string deep = to_brackets(deep_tree(100'000));
  const BracketCounts counts = compare_brackets(deep, deep);
  EXPECT_EQ(counts.matched, 100'000);
  EXPECT_EQ(counts.crossing, 0);
}

}  // namespace
}  // namespace yona::testing
