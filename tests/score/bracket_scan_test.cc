#include "yona/score/bracket_scan.h"

#include <string>

#include <gtest/gtest.h>

namespace yona {
namespace {

using Fault = ScannedTree::Fault;

// "tag word …|label:begin-end …"
std::string scanned(std::string_view line) {
  const ScannedTree tree = scan_brackets(line);
  std::string text;
  for (const auto& word : tree.words) {
    text.append(word.tag).append(" ").append(word.text).append(" ");
  }
  text += "|";
  for (const auto& bracket : tree.brackets) {
    text.append(" ").append(bracket.label).append(":");
    text += std::to_string(bracket.begin) + "-" + std::to_string(bracket.end);
  }
  return text;
}

TEST(BracketScan, ReadsWordsAndSpans) {
  EXPECT_EQ(scanned("(S (NP-SBJ (DT the) (NN cat)) (VP (VBZ sleeps)))"),
            "DT the NN cat VBZ sleeps | S:0-3 NP-SBJ:0-2 VP:2-3");
  EXPECT_EQ(scanned("(S(NP(NN a ))\t(VP (VB  b)))"), "NN a VB b | S:0-2 NP:0-1 VP:1-2");
}

TEST(BracketScan, LeavesOutPunctuationAndTraces) {
  const ScannedTree tree = scan_brackets("(S (`` ``) (NP (-NONE- *)) (NN a) (, ,) (: --) (. .))");
  EXPECT_EQ(tree.words.size(), 1U);
  EXPECT_EQ(tree.length, 5U);
  EXPECT_EQ(tree.brackets[1].begin, tree.brackets[1].end);
  EXPECT_TRUE(is_ignored_label("''"));
  EXPECT_TRUE(is_ignored_label("TOP"));
  EXPECT_FALSE(is_ignored_label("-LRB-"));
  EXPECT_FALSE(is_ignored_label("!"));
}

TEST(BracketScan, AcceptsWhatFailedParsersWrite) {
  for (const char* line : {"", " ", "(())", "()", "(TOP)", "(TOP (-NONE- *))"}) {
    const ScannedTree tree = scan_brackets(line);
    EXPECT_TRUE(tree.words.empty()) << line;
    EXPECT_EQ(tree.fault, Fault::none) << line;
  }
  EXPECT_EQ(scanned("(NP )"), "NP  |");  // a word without letters, as in EVALB
}

TEST(BracketScan, NamesFaults) {
  EXPECT_EQ(scan_brackets("(S (NN a)").fault, Fault::unclosed);
  EXPECT_EQ(scan_brackets("(S (NN a)").brackets[0].end, -1);
  EXPECT_EQ(scan_brackets("(S (NP ").fault, Fault::unclosed);
  EXPECT_EQ(scan_brackets("(S (NN a)))").fault, Fault::unopened);
  for (const char* line :
       {"a", "(S a b)", "(S (NN a) b)", "(S a (NN b))", "(S (NN a", "(S a(NN b))"}) {
    EXPECT_EQ(scan_brackets(line).fault, Fault::stray_word) << line;
  }
  EXPECT_EQ(description(Fault::unclosed), "a bracket is not closed");
  EXPECT_EQ(description(Fault::unopened), "a closing bracket has no opening one");
  EXPECT_EQ(description(Fault::stray_word), "a word is not in a bracket of its own, (TAG word)");
  EXPECT_EQ(description(Fault::none), "");
}

}  // namespace
}  // namespace yona
