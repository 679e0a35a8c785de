#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/json.h"
#include "yona/trees/tree_reader.h"

#include "tests/cli/program.h"
#include "tests/tasks/parsing/toy_treebank.h"

namespace yona::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// A parser that the program itself trained for a moment.
class ParseCommand : public ToyTreebank {
 protected:
  ParseCommand() : ToyTreebank(60, 5) {
    const ProgramResult trained = run_yona({"train",
                                            "--task",
                                            "parsing",
                                            "--train",
                                            folder_ / "train.mrg",
                                            "--valid",
                                            folder_ / "valid.mrg",
                                            "--output",
                                            model(),
                                            "--updates",
                                            "4",
                                            "--batch-tokens",
                                            "300",
                                            "--vocab-size",
                                            "330",
                                            "--set",
                                            "model.layers=1",
                                            "--set",
                                            "model.d_model=16",
                                            "--set",
                                            "model.d_ff=16",
                                            "--set",
                                            "train.warmup=2",
                                            "--threads",
                                            "1",
                                            "--progress",
                                            "quiet"});
    EXPECT_EQ(trained.code, 0) << trained.err;
  }
  std::string model() const { return folder_ / "run"; }
  ProgramResult parse(const std::string& text, const std::vector<std::string>& more = {}) const {
    write_bytes(folder_ / "input.txt", text);
    std::vector<std::string> words{"parse", "--model", model(), "--input", folder_ / "input.txt"};
    words.insert(words.end(), more.begin(), more.end());
    return run_yona(words);
  }
};

TEST_F(ParseCommand, WritesATreeALineWithExactlyTheWords) {
  const ProgramResult result = parse("The cat doesn't see (it).\n\nDogs bark\n", {"--beam", "3"});
  ASSERT_EQ(result.code, 0) << result.err;
  const std::size_t first = result.out.find('\n');
  EXPECT_THAT(tree_of(result.out.substr(0, first)).words(),
              ElementsAre("The", "cat", "does", "n't", "see", "-LRB-", "it", "-RRB-", "."));
  EXPECT_EQ(result.out.substr(first, 2), "\n\n");
  EXPECT_THAT(tree_of(result.out.substr(first + 2)).words(), ElementsAre("Dogs", "bark"));
}

TEST_F(ParseCommand, TakesWordsAsTheyAreWhenToldSo) {
  const ProgramResult result = parse("doesn't see.\n", {"--tokenized", "--beam", "1"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(tree_of(result.out).words(), ElementsAre("doesn't", "see."));
}

TEST_F(ParseCommand, WritesJsonAndDrawings) {
  const ProgramResult json = parse("Dogs bark\n", {"--format", "json"});
  ASSERT_EQ(json.code, 0) << json.err;
  EXPECT_EQ(Json::parse(json.out).at("words").size(), 2U);
  EXPECT_THAT(parse("Dogs bark\n", {"--format", "svg"}).out, StartsWith("<svg"));
  EXPECT_THAT(parse("Dogs bark\n", {"--format", "terminal"}).out, HasSubstr("Dogs"));
  const ProgramResult two = parse("Dogs bark\nCats sleep\n", {"--format", "svg"});
  EXPECT_EQ(two.code, 2);
  EXPECT_THAT(two.err, HasSubstr("--format svg: draws one sentence, and the input has more"));
}

TEST_F(ParseCommand, ASentenceBeyondTheModelsPositionsIsNamedByItsLine) {
  std::string words;
  for (int i = 0; i < 3000; ++i) {
    words += "cat ";
  }
  const ProgramResult result = parse("Dogs bark\n" + words + "\n", {"--beam", "1"});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, StartsWith("yona: sentence 2: has "));
  EXPECT_THAT(result.err, HasSubstr(" sub-words; the model takes "));
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1);
}

TEST_F(ParseCommand, SaysWhatIsWrongInOneLine) {
  EXPECT_THAT(parse("x\n", {"--format", "xml"}).err,
              HasSubstr("--format: expected brackets, json, svg or terminal, got 'xml'"));
  EXPECT_THAT(parse("x\n", {"--beam", "0"}).err, HasSubstr("--beam: expected"));
  EXPECT_THAT(run_yona({"parse"}).err, HasSubstr("parse: --model is missing"));
  const ProgramResult translated =
      run_yona({"translate", "--model", model(), "--input", folder_ / "input.txt"});
  EXPECT_EQ(translated.code, 2);
  EXPECT_THAT(translated.err, HasSubstr("is a model of the task parsing"));
  const ProgramResult served = run_yona({"serve", "--port", "0", "--model", model()});
  EXPECT_EQ(served.code, 2);
  EXPECT_THAT(served.err, HasSubstr(model() + " is a parser; yona serve takes translation models"));
  std::string long_line = "word";
  for (int i = 0; i < 1500; ++i) {
    long_line += " word";
  }
  const ProgramResult too_long = parse("fine\n" + long_line + "\n");
  EXPECT_EQ(too_long.code, 2);
  EXPECT_THAT(too_long.err, HasSubstr("sentence 2: has "));
}

TEST_F(ParseCommand, TrainingRefusesBadTreebanksAndFlagsOfOtherTasks) {
  const auto refused = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words{"train", "--task", "parsing", "--output", folder_ / "other"};
    words.insert(words.end(), more.begin(), more.end());
    const ProgramResult result = run_yona(words);
    EXPECT_EQ(result.code, 2);
    return result.err;
  };
  write_bytes(folder_ / "bad.mrg", "(S (NP (NN dogs))\n");
  EXPECT_THAT(refused({"--train", folder_ / "bad.mrg"}),
              HasSubstr("bad.mrg:2: the file ends inside the tree that begins at line 1"));
  EXPECT_THAT(refused({"--train-src", folder_ / "train.mrg"}),
              HasSubstr("--train-src: is not a flag of the task parsing, which takes --train and "
                        "--valid"));
  EXPECT_THAT(refused({"--train", folder_ / "train.mrg", "--src-lang", "en"}),
              HasSubstr("--src-lang: is not a flag of the task parsing"));
  EXPECT_THAT(refused({}), HasSubstr("data.train: there is nothing to train on; give --train"));
  EXPECT_THAT(refused({"--train", folder_ / "train.mrg", "--valid", "a", "b"}),
              HasSubstr("--valid: names 2 files; the task parsing takes one"));
}

}  // namespace
}  // namespace yona::testing
