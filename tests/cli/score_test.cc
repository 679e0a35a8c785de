#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/json.h"

#include "tests/cli/program.h"

namespace yona::testing {
namespace {

using ::testing::HasSubstr;

class ScoreCommand : public ::testing::Test {
 protected:
  ScoreCommand() {
    write("ref", "The cat is on the mat.\nHello world!\n");
    write("hyp", "The cat sat on the mat.\nHello there, world!\n");
    write("other", "A cat was on a mat.\nHello!\n");
  }
  std::string path(std::string_view name) const { return folder_ / name; }
  void write(std::string_view name, std::string_view text) const {
    write_bytes(folder_ / name, text);
  }
  // The program with "--ref ref --hyp hyp" and these.
  std::string output(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"score", "--ref", path("ref"), "--hyp", path("hyp")});
    const ProgramResult result = run_yona(arguments);
    EXPECT_EQ(result.code, 0) << result.err;
    return result.out;
  }
  static std::string complaint(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "score");
    const ProgramResult result = run_yona(arguments);
    EXPECT_EQ(result.code, 2) << result.err;
    EXPECT_EQ(result.out, "");
    return result.err;
  }

  TempDir folder_;
  const std::string version_ = "version:yona-" YONA_VERSION;
};

TEST_F(ScoreCommand, PrintsWhatSacreBleuPrints) {
  EXPECT_EQ(output({}), "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|" + version_ +
                            " = 35.4 75.0/50.0/25.0/16.7 (BP = 1.000 ratio = 1.200 hyp_len = 12 "
                            "ref_len = 10)\n");
  EXPECT_THAT(output({"-m", "ter,chrf,bleu"}),
              HasSubstr("      chrF2|nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|" + version_ +
                        " = 63.4\n"));
}

TEST_F(ScoreCommand, PrintsTheNumberAloneWithAsManyDigitsAsAsked) {
  EXPECT_EQ(output({"--score-only", "--width", "4"}), "35.3553\n");
}

TEST_F(ScoreCommand, GivesJson) {
  const Json one = Json::parse(output({"--json"}));
  EXPECT_EQ(one["name"], "BLEU");
  EXPECT_EQ(one["score"], 35.4);
  EXPECT_EQ(one["unrounded"].get<double>(), 35.355339059327385);
  EXPECT_EQ(one["tok"], "13a");
  const Json several = Json::parse(output({"--json", "--metrics", "bleu", "ter"}));
  ASSERT_EQ(several.size(), 2U);
  EXPECT_EQ(several[1]["name"], "TER");
}

TEST_F(ScoreCommand, ScoresSentences) {
  EXPECT_EQ(output({"--sentence", "-b"}), "48.9\n23.6\n");
  const std::string lines = output({"--sentence", "--json", "-m", "chrf,ter"});
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 4);
  EXPECT_THAT(lines, HasSubstr("{\"line\":2,\"name\":\"TER\""));
}

TEST_F(ScoreCommand, ReadsStandardInputByDefault) {
  const std::string command =
      fmt::format("{} score -b --ref {} < {}", YONA_PROGRAM, path("ref"), path("hyp"));
  FILE* pipe = ::popen(command.c_str(), "r");
  char line[64] = "";
  EXPECT_NE(::fgets(line, sizeof line, pipe), nullptr);
  EXPECT_EQ(::pclose(pipe), 0);
  EXPECT_STREQ(line, "35.4\n");
}

TEST_F(ScoreCommand, TakesSeveralReferences) {
  const ProgramResult files = run_yona(
      {"score", "--ref", path("ref"), path("other"), "--hyp", path("hyp"), "-m", "bleu,ter"});
  EXPECT_THAT(files.out, HasSubstr("BLEU|nrefs:2|"));
  write("tabs", "The cat is on the mat.\tA cat was on a mat.\nHello world!\tHello!\n");
  const ProgramResult tabs = run_yona(
      {"score", "--ref", path("tabs"), "--ref-tabs", "--hyp", path("hyp"), "-m", "bleu,ter"});
  EXPECT_EQ(tabs.out, files.out);
  write("tabs", "The cat is on the mat.\tA cat was on a mat.\nHello world!\n");
  const ProgramResult varying =
      run_yona({"score", "--ref", path("tabs"), "--ref-tabs", "--hyp", path("hyp")});
  EXPECT_THAT(varying.out, HasSubstr("BLEU|nrefs:var|"));
}

TEST_F(ScoreCommand, TestsSystemsAgainstTheFirst) {
  const ProgramResult text = run_yona({"score", "--ref", path("ref"), "--hyp", path("hyp"),
                                       path("other"), "--paired-bs", "-m", "bleu,chrf"});
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("BLEU (μ ± 95% CI)"));
  EXPECT_THAT(text.out, HasSubstr("Baseline: " + path("hyp")));
  EXPECT_THAT(text.out, HasSubstr("BLEU|nrefs:1|bs:1000|seed:12345|case:mixed"));
  const ProgramResult json =
      run_yona({"score", "--ref", path("ref"), "--hyp", path("hyp"), path("other"), "--paired-ar",
                "--paired-ar-n", "99", "--seed", "3", "--json"});
  const Json table = Json::parse(json.out);
  EXPECT_TRUE(table[1]["BLEU"]["p_value"].is_number());
  EXPECT_THAT(table[1]["BLEU"]["signature"].get<std::string>(), HasSubstr("|ar:99|seed:3|"));
  EXPECT_THAT(output({path("other"), "--short"}), HasSubstr("BLEU|#:1|c:mixed"));
}

TEST_F(ScoreCommand, GivesAnIntervalForOneSystem) {
  EXPECT_THAT(output({"--confidence", "--confidence-n", "200"}), HasSubstr("35.4 (μ = "));
  EXPECT_THAT(output({"--confidence"}), HasSubstr("nrefs:1|bs:1000|seed:12345|"));
}

TEST_F(ScoreCommand, WarnsOfTextThatLooksTokenised) {
  std::string text;
  for (int i = 0; i < 100; ++i) {
    text += "the cat .\n";
  }
  write("tokenised", text);
  const std::vector<std::string> arguments{"score", "--ref", path("tokenised"), "--hyp",
                                           path("tokenised")};
  EXPECT_THAT(run_yona(arguments).err, HasSubstr("100 lines end in \" .\""));
  std::vector<std::string> forced = arguments;
  forced.emplace_back("--force");
  EXPECT_EQ(run_yona(forced).err, "");
}

TEST_F(ScoreCommand, ComplainsAboutFiles) {
  EXPECT_EQ(
      complaint({}),
      "yona: score: --ref is missing; name the file of right translations, trees or labels\n");
  EXPECT_EQ(complaint({"--ref", path("none"), "--hyp", path("hyp")}),
            "yona: --ref: cannot read " + path("none") + ": No such file or directory\n");
  EXPECT_EQ(complaint({"--ref", path("ref"), "--hyp", folder_.path().string()}),
            "yona: --hyp: cannot read " + folder_.path().string() + ": Is a directory\n");
  write("long", "a\nb\nc\n");
  EXPECT_EQ(complaint({"--ref", path("ref"), "--hyp", path("long")}),
            "yona: score: " + path("long") + " has 3 lines and " + path("ref") +
                " has 2 lines; line by line they must correspond\n");
  write("bad", "good\nb\xff\n");
  EXPECT_EQ(complaint({"--ref", path("ref"), "--hyp", path("bad")}),
            "yona: " + path("bad") + ":2: the line is not valid UTF-8\n");
  write("empty", "");
  EXPECT_EQ(complaint({"--ref", path("empty"), "--hyp", path("empty")}),
            "yona: score: " + path("empty") + " and " + path("empty") + " have no lines\n");
}

}  // namespace
}  // namespace yona::testing
