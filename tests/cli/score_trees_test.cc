#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/json.h"

#include "tests/cli/program.h"

namespace yona::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class ScoreTrees : public ::testing::Test {
 protected:
  ScoreTrees() {
    write("gold",
          "(TOP (S (NP (DT the) (NN cat)) (VP (VBZ sleeps)) (. .)))\n"
          "(TOP (S (NP (PRP it)) (VP (VBZ rains)) (. .)))\n");
    write("test",
          "(TOP (S (NP (DT the)) (VP (NN cat) (VBZ sleeps)) (. .)))\n"
          "(TOP (S (NP (PRP it)) (VP (NNS rains)) (. .)))\n");
    write("wrong", "(TOP (S (NN the) (NN cat) (NN sleeps) (. .)))\n\n");
  }
  std::string path(std::string_view name) const { return folder_ / name; }
  void write(std::string_view name, std::string_view text) const {
    write_bytes(folder_ / name, text);
  }
  ProgramResult score(std::string_view gold, std::string_view test,
                      std::vector<std::string> arguments = {}) const {
    arguments.insert(arguments.begin(),
                     {"score", "--metrics", "brackets", "--ref", path(gold), "--hyp", path(test)});
    return run_yona(arguments);
  }
  std::string complaint(const std::vector<std::string>& arguments) const {
    const ProgramResult result = run_yona(arguments);
    EXPECT_EQ(result.code, 2);
    EXPECT_EQ(result.out, "");
    return result.err;
  }

  TempDir folder_;
};

TEST_F(ScoreTrees, PrintsF1WithItsFigures) {
  const ProgramResult result = score("gold", "test");
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  EXPECT_THAT(result.out, StartsWith("Brackets|nrefs:1|params:COLLINS|cutoff:40|version:yona-"));
  EXPECT_THAT(
      result.out,
      HasSubstr(" = 66.7 (R = 66.67 P = 66.67 complete = 50.00 crossing = 0.50 none = 50.00 "
                "two or less = 100.00 tags = 80.00 sentences = 2 errors = 0 skipped = 0; up "
                "to 40 words: F1 = 66.67 R = 66.67 P = 66.67 sentences = 2)\n"));
  EXPECT_EQ(score("gold", "test", {"-b", "-w", "2"}).out, "66.67\n");
}

TEST_F(ScoreTrees, GivesJsonAndSentences) {
  const Json json = Json::parse(score("gold", "test", {"--json"}).out);
  EXPECT_EQ(json["name"], "Brackets");
  EXPECT_EQ(json["figures"]["matched_brackets"], 4);
  EXPECT_EQ(json["figures"]["len40_tagging_accuracy"], 80.0);
  EXPECT_EQ(score("gold", "test", {"--sentence", "-b"}).out, "33.3\n100.0\n");
}

TEST_F(ScoreTrees, PrintsEvalbsReport) {
  const ProgramResult result = score("gold", "test", {"--evalb"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out,
              HasSubstr("   1    4    0   33.33  33.33     1      3    3      1      3     3   "
                        "100.00\n   2    3    0  100.00 100.00     3      3    3      0      2     "
                        "1    50.00\n====="));
  EXPECT_THAT(result.out, HasSubstr("Bracketing FMeasure       =  66.67\n"));
}

TEST_F(ScoreTrees, ReadsTreebankFiles) {
  write("gold.mrg",
        "\n( (S \n    (NP-SBJ (DT the) (NN cat) )\n    (VP (VBZ sleeps) )\n    (. .) ))\n"
        "( (S (NP-SBJ (PRP it) )\n    (VP (VBZ rains) ) (. .) ))\n");
  EXPECT_EQ(score("gold.mrg", "test").out, score("gold", "test").out);
}

TEST_F(ScoreTrees, TestsSystems) {
  const ProgramResult result = score("gold", "test", {path("gold"), "--paired-bs"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("Brackets (μ ± 95% CI)"), HasSubstr("p = ")));
}

TEST_F(ScoreTrees, WarnsOfSentencesThatAreLeftOut) {
  const ProgramResult result = score("gold", "wrong");
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(result.err,
              HasSubstr(path("wrong") + ": 1 of 2 sentences are left out of the figures: "
                                        "0 errors, 1 without a tree"));
  write("changed", "(S (NN the) (NN dog) (NN sleeps))\n(S (PRP it))\n");
  const std::string warnings = score("gold", "changed").err;
  EXPECT_THAT(warnings,
              HasSubstr(path("changed") + ":1: error sentence, left out: word 2 is 'dog', "
                                          "'cat' in the gold tree"));
  EXPECT_THAT(warnings,
              HasSubstr(path("changed") + ":2: error sentence, left out: there are 1 words, "
                                          "2 in the gold tree"));
  EXPECT_THAT(warnings, HasSubstr("2 of 2 sentences are left out"));
}

TEST_F(ScoreTrees, WarnsOfAnOuterBracketThatCounts) {
  write("unnamed", "( (S (NN a)))\n");
  EXPECT_THAT(
      score("unnamed", "unnamed").err,
      HasSubstr("1 trees have an outer bracket without a label, which counts as a constituent"));
}

TEST_F(ScoreTrees, RefusesGoldThatIsNoTree) {
  write("broken", "(S (NN a))\n(S (NN a)\n");
  const ProgramResult result = score("broken", "gold");
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(result.err, "yona: " + path("broken") + ":2: a bracket is not closed\n");
}

TEST_F(ScoreTrees, RefusesWhatDoesNotGoTogether) {
  const std::vector<std::string> files{"--ref", path("gold"), "--hyp", path("test")};
  const auto with = [&](std::vector<std::string> flags) {
    flags.insert(flags.begin(), "score");
    flags.insert(flags.end(), files.begin(), files.end());
    return complaint(flags);
  };
  EXPECT_EQ(with({"--evalb"}),
            "yona: score: --evalb prints figures of trees; add --metrics brackets\n");
  EXPECT_EQ(with({"-m", "bleu,brackets"}),
            "yona: score: --metrics brackets is for trees and the others are for text; run them "
            "apart\n");
  EXPECT_EQ(with({"-m", "brackets", "--ref-tabs"}),
            "yona: score: --metrics brackets takes one --ref, which holds one gold tree for each "
            "sentence\n");
  EXPECT_EQ(with({"-m", "brackets", "--ref", path("test")}),
            "yona: score: --metrics brackets takes one --ref, which holds one gold tree for each "
            "sentence\n");
  EXPECT_EQ(with({"-m", "brackets", "--evalb", "--json"}),
            "yona: score: --evalb is for one system, without --json, --sentence, --score-only and "
            "--confidence\n");
}

}  // namespace
}  // namespace yona::testing
