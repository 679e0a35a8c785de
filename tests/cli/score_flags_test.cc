#include <gtest/gtest.h>

#include "tests/cli/program.h"

namespace yona::testing {
namespace {

class ScoreFlagsOfCommand : public ::testing::Test {
 protected:
  ScoreFlagsOfCommand() {
    write_bytes(folder_ / "ref", "The Cat's 3.5 mats, 中文 句子。\nHello\n");
    write_bytes(folder_ / "hyp", "the cat's 3.5 mat 中文句子。\nHello World\n");
  }
  ProgramResult score(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(),
                     {"score", "--ref", folder_ / "ref", "--hyp", folder_ / "hyp"});
    return run_yona(arguments);
  }
  // What stands between the name and the version in a signature.
  std::string settings(const std::vector<std::string>& arguments) const {
    const ProgramResult result = score(arguments);
    EXPECT_EQ(result.code, 0) << result.err;
    const std::size_t begin = result.out.find('|') + 1;
    return result.out.substr(begin, result.out.find("|version") - begin);
  }
  std::string complaint(const std::vector<std::string>& arguments) const {
    const ProgramResult result = score(arguments);
    EXPECT_EQ(result.code, 2) << result.out;
    return result.err;
  }

  TempDir folder_;
};

TEST_F(ScoreFlagsOfCommand, SetTheOptionsOfBleu) {
  EXPECT_EQ(settings({"--tokenize", "zh", "--lowercase", "--effective-order"}),
            "nrefs:1|case:lc|eff:yes|tok:zh|smooth:exp");
  EXPECT_EQ(settings({"--smooth-method", "add-k", "--smooth-value", "0.25"}),
            "nrefs:1|case:mixed|eff:no|tok:13a|smooth:add-k[0.25]");
  EXPECT_EQ(score({"--max-ngram-order", "1", "-b"}).out, "24.8\n");
}

TEST_F(ScoreFlagsOfCommand, SetTheOptionsOfChrf) {
  EXPECT_EQ(settings({"-m", "chrf", "--chrf-char-order", "4", "--chrf-word-order", "2",
                      "--chrf-whitespace", "--chrf-lowercase", "--chrf-eps-smoothing"}),
            "nrefs:1|case:lc|eff:no|nc:4|nw:2|space:yes");
  EXPECT_EQ(score({"-m", "chrf", "--chrf-beta", "3"}).out.substr(0, 6), "chrF3|");
}

TEST_F(ScoreFlagsOfCommand, SetTheOptionsOfTer) {
  EXPECT_EQ(settings({"-m", "ter", "--ter-normalized", "--ter-no-punct", "--ter-asian-support",
                      "--ter-case-sensitive"}),
            "nrefs:1|case:mixed|tok:tercom|norm:yes|punct:no|asian:yes");
}

TEST_F(ScoreFlagsOfCommand, RefuseValuesThatMeanNothing) {
  EXPECT_EQ(
      complaint({"--tokenize", "ja-mecab"}),
      "yona: --tokenize: 'ja-mecab' is not a tokeniser of BLEU here; there are 13a, intl, zh, "
      "char, none: char suits Japanese and Korean, or tokenise beforehand and take none\n");
  EXPECT_EQ(
      complaint({"--metrics", "bleu,meteor"}),
      "yona: --metrics: expected bleu, chrf, ter, brackets, accuracy, f1, matthews or spearman, "
      "got 'meteor'\n");
  EXPECT_EQ(complaint({"--smooth-method", "some"}),
            "yona: --smooth-method: expected exp, floor, add-k or none, got 'some'\n");
  EXPECT_EQ(complaint({"--smooth-value", "1"}),
            "yona: --smooth-value: --smooth-method exp takes none; floor and add-k do\n");
  EXPECT_EQ(complaint({"--smooth-method", "floor", "--smooth-value", "-1"}),
            "yona: --smooth-value: expected a number of at least 0, got '-1'\n");
  EXPECT_EQ(complaint({"--width", "99"}),
            "yona: --width: expected a whole number from 0 to 17, got '99'\n");
  EXPECT_EQ(complaint({"-m", "chrf", "--chrf-char-order", "0"}),
            "yona: chrF: the orders are 0 characters and 0 words; expected 0 to 64, and one above "
            "0\n");
  EXPECT_EQ(complaint({"--confidence", "--confidence-n", "0"}),
            "yona: --confidence-n: expected a whole number from 1 to 10000000, got '0'\n");
}

TEST_F(ScoreFlagsOfCommand, RefuseWhatDoesNotGoTogether) {
  EXPECT_EQ(complaint({"--paired-bs"}),
            "yona: score: a paired test compares systems; name two or more with --hyp, the "
            "baseline first\n");
  const std::string hyp = folder_ / "hyp";
  EXPECT_EQ(complaint({hyp, "--paired-bs", "--paired-ar"}),
            "yona: score: --paired-bs and --paired-ar exclude each other; give one\n");
  EXPECT_EQ(complaint({hyp, "--confidence"}),
            "yona: score: --confidence is for one system; --paired-bs gives the intervals of "
            "several\n");
  EXPECT_EQ(complaint({"--sentence", "--confidence"}),
            "yona: score: --sentence is for one system, without tests\n");
  EXPECT_EQ(complaint({"--ref-tabs", "--ref", hyp}),
            "yona: score: --ref-tabs takes one --ref, which holds all references\n");
}

}  // namespace
}  // namespace yona::testing
