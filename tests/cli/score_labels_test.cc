#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/json.h"

#include "tests/cli/program.h"

namespace yona::testing {
namespace {

using ::testing::HasSubstr;

class ScoreLabels : public ::testing::Test {
 protected:
  ScoreLabels() {
    write_bytes(folder_ / "ref.tsv", "sentence\tlabel\ngood\t1\nbad\t0\nfine\t1\n");
    write_bytes(folder_ / "hyp", "1\t0.93\n1\t0.51\n1\t0.88\n");
    write_bytes(folder_ / "other", "1\n0\n0\n");
  }
  std::string path(std::string_view name) const { return folder_ / name; }
  ProgramResult score(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"score", "--ref", path("ref.tsv")});
    return run_yona(arguments);
  }
  std::string complaint(const std::vector<std::string>& arguments) const {
    const ProgramResult result = score(arguments);
    EXPECT_EQ(result.code, 2);
    EXPECT_EQ(result.out, "");
    return result.err;
  }

  TempDir folder_;
};

TEST_F(ScoreLabels, PrintsALineForEachMetric) {
  const ProgramResult result = score({"--hyp", path("hyp"), "-m", "spearman,matthews,f1,accuracy"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("Accuracy|classes:2|version:yona-"));
  EXPECT_THAT(result.out, HasSubstr(" = 0.6667\n"));
  EXPECT_THAT(result.out, HasSubstr("F1|average:binary|positive:1|classes:2|"));
  EXPECT_THAT(result.out, HasSubstr(" = 0.8000\n"));
  EXPECT_THAT(result.out, HasSubstr(" = nan\n")) << "all predictions are equal";
  EXPECT_EQ(score({"--hyp", path("hyp"), "-m", "accuracy", "-b", "-w", "2"}).out, "0.67\n");
}

TEST_F(ScoreLabels, GivesJson) {
  const Json json = Json::parse(score({"--hyp", path("hyp"), "-m", "f1,spearman", "--json"}).out);
  EXPECT_EQ(json[0]["name"], "F1");
  EXPECT_EQ(json[0]["unrounded"], 0.8);
  EXPECT_EQ(json[0]["positive"], "1");
  EXPECT_TRUE(json[1]["score"].is_null());
}

TEST_F(ScoreLabels, ComparesSystems) {
  const ProgramResult result =
      score({"--hyp", path("hyp"), path("other"), "-m", "accuracy,f1", "--positive", "0"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("Accuracy"));
  EXPECT_THAT(result.out, HasSubstr("0.0000"));
}

TEST_F(ScoreLabels, RefusesWhatDoesNotFit) {
  EXPECT_THAT(complaint({"--hyp", path("hyp"), "-m", "accuracy,bleu"}),
              HasSubstr("--metrics accuracy, f1, matthews, spearman are for labels"));
  EXPECT_THAT(complaint({"--hyp", path("hyp"), "-m", "accuracy", "--confidence"}),
              HasSubstr("--confidence, --paired-bs, --paired-ar and --evalb are not for labels"));
  EXPECT_THAT(complaint({"--hyp", path("hyp"), "--positive", "1"}),
              HasSubstr("are for labels; add --metrics accuracy"));
  EXPECT_THAT(complaint({"--ref", path("hyp"), "--hyp", path("hyp"), "-m", "accuracy"}),
              HasSubstr("one --ref"));
  write_bytes(folder_ / "short", "1\n");
  EXPECT_THAT(complaint({"--hyp", path("short"), "-m", "accuracy"}), HasSubstr("short"));
}

}  // namespace
}  // namespace yona::testing
