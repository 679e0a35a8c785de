// `yona perplexity` as a user sees it. What its figures are: tasks/language_model/perplexity_test.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/json.h"

#include "tests/cli/program.h"
#include "tests/harness/lm_folder.h"

namespace yona::testing {
namespace {

using ::testing::HasSubstr;

class PerplexityCommand : public ::testing::Test {
 protected:
  ProgramResult measured(const std::string& text, const std::vector<std::string>& more = {}) const {
    write_bytes(folder_ / "t.txt", text);
    std::vector<std::string> words{"perplexity", "--model", lm_.path(), "--input",
                                   folder_ / "t.txt"};
    words.insert(words.end(), more.begin(), more.end());
    return run_yona(words);
  }
  static std::string refused(const ProgramResult& result) {
    EXPECT_EQ(result.code, 2) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_EQ(result.out, "");
    return result.err;
  }
  std::string text_ =
      "the quick brown fox jumps over the lazy dog\nand then it sleeps for 12 hours\n\na cat sees "
      "3 "
      "dogs\n";

  LmFolder lm_;
  TempDir folder_;
};

TEST_F(PerplexityCommand, PrintsFiguresPerTokenWordAndByte) {
  const ProgramResult result = measured(text_);
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("134.2893  per token (91 predicted in 4 windows)"));
  EXPECT_THAT(result.out, HasSubstr("per word (21)"));
  EXPECT_THAT(result.out, HasSubstr("127.5384  per byte (95), 6.9948 bits"));
}

TEST_F(PerplexityCommand, WritesOneJsonObject) {
  const ProgramResult result = measured(text_, {"--stride", "12", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const Json json = Json::parse(result.out);
  EXPECT_NEAR(json.at("perplexity").get<double>(), 122.2239, 1e-3);
  EXPECT_NEAR(json.at("nll").get<double>(), 450.4712, 1e-3);
  EXPECT_EQ(json.at("tokens"), 94);
  EXPECT_EQ(json.at("windows"), 7);
  EXPECT_EQ(json.at("words"), 21);
  EXPECT_EQ(json.at("bytes"), 95);
}

TEST_F(PerplexityCommand, AnyNumberOfThreadsGivesTheSameFigures) {
  const std::string one = measured(text_, {"--json", "--threads", "1"}).out;
  EXPECT_EQ(measured(text_, {"--json", "--threads", "2"}).out, one);
  EXPECT_EQ(measured(text_, {"--json", "--threads", "3"}).out, one);
}

TEST_F(PerplexityCommand, ReadsStandardInput) {
  const std::string from_file = measured(text_).out;
  const std::string out = folder_ / "out.txt";
  const std::string command =
      fmt::format("cat '{}' | '{}' perplexity --model '{}' --threads 1 --input - > '{}'",
                  (folder_ / "t.txt").string(), YONA_PROGRAM, lm_.path().string(), out);
  EXPECT_EQ(std::system(command.c_str()), 0);
  EXPECT_EQ(read_bytes(out), from_file);
}

TEST_F(PerplexityCommand, ATextOfBlankLinesHasNoWords) {
  const ProgramResult plain = measured("\n\n\n");
  EXPECT_EQ(plain.code, 0) << plain.err;
  EXPECT_EQ(plain.out.find("per word"), std::string::npos);
  EXPECT_TRUE(Json::parse(measured("\n\n\n", {"--json"}).out).at("word_perplexity").is_null());
}

TEST_F(PerplexityCommand, SaysWhatIsWrongInOneLine) {
  EXPECT_THAT(refused(measured("")), HasSubstr("t.txt: is empty"));
  EXPECT_THAT(refused(measured("a")), HasSubstr("a text of 1 token has nothing to predict"));
  EXPECT_THAT(refused(measured("a\xFF")), HasSubstr("t.txt: is not UTF-8"));
  EXPECT_THAT(refused(measured(text_, {"--context", "25"})),
              HasSubstr("a context of 25 tokens is not between 2 and the model's 24 positions"));
  EXPECT_THAT(refused(measured(text_, {"--context", "8", "--stride", "9"})),
              HasSubstr("a stride of 9 tokens leaves gaps between windows of 8"));
  EXPECT_THAT(refused(measured(text_, {"--stride", "-1"})), HasSubstr("--stride: expected"));
  EXPECT_THAT(refused(run_yona({"perplexity"})), HasSubstr("perplexity: --model is missing"));
  EXPECT_THAT(refused(run_yona({"perplexity", "--model", lm_.path()})),
              HasSubstr("perplexity: --input is missing"));
  EXPECT_THAT(refused(run_yona({"perplexity", "--model", lm_.path(), "--input", "/nowhere"})),
              HasSubstr("--input: /nowhere: no such file"));
  EXPECT_THAT(refused(run_yona({"perplexity", "--model", lm_.path(), "--input", lm_.path()})),
              HasSubstr("is a folder, not a file"));
  EXPECT_THAT(refused(run_yona({"perplexity", "--model", "/nowhere", "--input", "x"})),
              HasSubstr("--model: /nowhere: no such folder"));
  const std::string bert = std::string(YONA_FIXTURES) + "/encoders/bert-classes";
  EXPECT_THAT(refused(run_yona({"perplexity", "--model", bert, "--input", "x"})),
              HasSubstr("is an encoder; yona perplexity takes a language model"));
}

}  // namespace
}  // namespace yona::testing
