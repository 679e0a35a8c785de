// `yona translate` as a user sees it: files, standard input, what is odd about them, and the forms
// of its output.

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "yona/base/json.h"

#include "tests/cli/program.h"
#include "tests/harness/small_model.h"

namespace yona::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    lines.push_back(text.substr(begin, end - begin));
    begin = end == text.npos ? text.size() : end + 1;
  }
  return lines;
}

class Translate : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { model_ = std::make_unique<SmallModel>(); }
  static void TearDownTestSuite() { model_.reset(); }

  ProgramResult translate(const std::string& input, std::vector<std::string> more = {}) const {
    write_bytes(folder_ / "input", input);
    std::vector<std::string> arguments{"translate", "--model", model_->path(), "--input",
                                       folder_ / "input"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_yona(arguments);
  }
  static const std::string& line(std::size_t i) { return model_->lines()[i]; }

  inline static std::unique_ptr<SmallModel> model_;
  TempDir folder_;
};

TEST_F(Translate, GivesALineForALineInOrder) {
  const std::string input = fmt::format("{}\n\n{}\n \n{}", line(0), line(1), line(0));
  const ProgramResult result = translate(input);
  ASSERT_EQ(result.code, 0) << result.err;
  const auto lines = lines_of(result.out);
  ASSERT_THAT(lines, SizeIs(5));
  EXPECT_EQ(lines[1], "");
  EXPECT_EQ(lines[3], "");
  EXPECT_EQ(lines[0], lines[4]);
  EXPECT_NE(lines[0], "");
  EXPECT_THAT(result.err, IsEmpty());
}

TEST_F(Translate, OfAnEmptyFileIsEmpty) {
  const ProgramResult result = translate("");
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, "");
}

TEST_F(Translate, WritesAFile) {
  const ProgramResult result = translate(line(0) + "\n", {"--output", folder_ / "out.de"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(read_bytes(folder_ / "out.de"), translate(line(0)).out);
}

TEST_F(Translate, ReadsMarksAndCarriageReturnsAsText) {
  EXPECT_EQ(translate("\xEF\xBB\xBF" + line(0) + "\r\n").out, translate(line(0)).out);
}

TEST_F(Translate, WritesNBestListsNumberedFromZero) {
  const ProgramResult result = translate(line(0) + "\n" + line(1) + "\n", {"--n-best", "3"});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto lines = lines_of(result.out);
  ASSERT_THAT(lines, SizeIs(6));
  EXPECT_THAT(lines[0], StartsWith("0 ||| "));
  EXPECT_THAT(lines[3], StartsWith("1 ||| "));
  EXPECT_THAT(lines[0], HasSubstr(" ||| F0= -"));
}

TEST_F(Translate, WritesJsonThatCanBeRead) {
  const ProgramResult result = translate("\n" + line(2) + "\n", {"--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto lines = lines_of(result.out);
  ASSERT_THAT(lines, SizeIs(2));
  EXPECT_EQ(Json::parse(lines[0]).at("translations").at(0).at("text"), "");
  const Json json = Json::parse(lines[1]);
  EXPECT_EQ(json.at("line"), 2);
  EXPECT_EQ(json.at("source"), line(2));
  const Json& best = json.at("translations").at(0);
  EXPECT_EQ(best.at("text").get<std::string>() + "\n", translate(line(2)).out);
  double sum = 0;
  for (const Json& token : best.at("tokens")) {
    sum += token.at("score").get<double>();
  }
  EXPECT_NEAR(sum, best.at("log_probability").get<double>(), 1e-4);
}

TEST_F(Translate, SamplesTheSameWithTheSameSeed) {
  const std::vector<std::string> flags{"--sample", "--seed", "7"};
  const std::string once = translate(line(0), flags).out;
  EXPECT_EQ(once, translate(line(0), flags).out);
}

TEST_F(Translate, RepairsBadEncodingAndNamesTheLine) {
  const ProgramResult result = translate(line(0) + "\ncaf\xE9\n");
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(lines_of(result.out), SizeIs(2));
  EXPECT_THAT(result.err, HasSubstr("line 2: is not UTF-8"));
}

TEST_F(Translate, RefusesBadEncodingWhenAsked) {
  const ProgramResult result = translate("caf\xE9\n", {"--encoding", "refuse"});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("line 1: is not UTF-8; convert the input"));
}

TEST_F(Translate, TranslatesALongLineInPartsAndSaysSo) {
  std::string paragraph;
  for (std::size_t i = 0; i < 12; ++i) {
    paragraph += "It is " + line(i) + ". ";
  }
  const ProgramResult result = translate(paragraph + "\n");
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(lines_of(result.out), SizeIs(1));
  EXPECT_THAT(result.err, HasSubstr("1 lines were longer than the model takes"));
  const ProgramResult refused = translate(paragraph + "\n", {"--long", "refuse"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("line 1 has "));
}

TEST_F(Translate, RefusesALineOfMoreThanAMegabyte) {
  const ProgramResult result = translate(std::string((1 << 20) + 1, 'x') + "\n");
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("line 1: is longer than"));
}

TEST_F(Translate, TakesNulBytesAsCharacters) {
  const ProgramResult result = translate(std::string("a\0b\n", 4));
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(lines_of(result.out), SizeIs(1));
}

TEST_F(Translate, BeginsWithPrefixesLineByLine) {
  write_bytes(folder_ / "prefixes", "zwei\n\n");
  const ProgramResult result =
      translate(line(0) + "\n" + line(1) + "\n", {"--prefix", folder_ / "prefixes"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(lines_of(result.out)[0], StartsWith("zwei"));
  EXPECT_EQ(lines_of(result.out)[1] + "\n", translate(line(1)).out);
}

TEST_F(Translate, RefusesPrefixesOfAnotherLength) {
  write_bytes(folder_ / "prefixes", "zwei\n");
  ProgramResult result =
      translate(line(0) + "\n" + line(1) + "\n", {"--prefix", folder_ / "prefixes"});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("has 1 lines, the input has more"));
  write_bytes(folder_ / "prefixes", "zwei\na\nb\n");
  result = translate(line(0) + "\n", {"--prefix", folder_ / "prefixes"});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("has more lines than the input's 1"));
}

TEST_F(Translate, IsAnEnsembleWithSeveralModels) {
  const std::string path = model_->path();
  const ProgramResult twice = translate(line(0), {"--model", path});  // the same once more
  EXPECT_EQ(twice.code, 0) << twice.err;
  EXPECT_EQ(twice.out, translate(line(0)).out);
}

TEST_F(Translate, SaysWhatIsWrongWithItsFlags) {
  const struct {
    std::vector<std::string> flags;
    std::string message;
  } cases[] = {
      {{"--beam", "0"}, "--beam: '0' is given"},
      {{"--beam", "2", "--n-best", "3"}, "--n-best: 3 hypotheses are asked of a beam of 2"},
      {{"--top-k", "5"}, "add --sample"},
      {{"--beam-mode", "papr"}, "--beam-mode"},
      {{"--length-penalty", "much"}, "--length-penalty: 'much' is given"},
      {{"--prefix", "nowhere"}, "--prefix"},
      {{"--output", "/nowhere/at/all"}, "--output: /nowhere/at/all cannot be made"},
  };
  for (const auto& wrong : cases) {
    const ProgramResult result = translate(line(0), wrong.flags);
    EXPECT_NE(result.code, 0) << wrong.message;
    EXPECT_THAT(result.err, HasSubstr(wrong.message));
    EXPECT_THAT(lines_of(result.err), SizeIs(1)) << result.err;
  }
}

TEST_F(Translate, SaysWhatIsMissing) {
  ProgramResult result = run_yona({"translate"});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("--model is missing"));
  result = run_yona({"translate", "--model", "nowhere"});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("--model: nowhere: no such folder"));
  result = run_yona({"translate", "--model", model_->path(), "--input", "nowhere.en"});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("--input"));
}

TEST_F(Translate, SaysThatAFullDiskIsFull) {
  const ProgramResult result = translate(line(0), {"--output", "/dev/full"});
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, HasSubstr("/dev/full cannot be written: No space left on device"));
}

}  // namespace
}  // namespace yona::testing
