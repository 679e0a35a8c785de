#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/json.h"

#include "tests/cli/program.h"
#include "tests/inspect/random_model.h"

namespace yona::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class AttentionCommand : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<TempDir>();
    write_random_model(*folder_ / "model");
    write_bytes(*folder_ / "source", "the old farmer\n\nmy sister never opens\n");
    write_bytes(*folder_ / "target", "der Nachbar\n\ndie Katze liebt nothing\n");
    write_bytes(*folder_ / "gold", "0-0 1p1 9-9\n\n0-0 1-1 2-2\n");
  }
  static void TearDownTestSuite() { folder_.reset(); }

  static std::string path(std::string_view name) { return (*folder_ / name).string(); }
  static ProgramResult run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"attention", "--model", path("model")});
    return run_yona(arguments);
  }
  static ProgramResult look(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"--source", "the old farmer", "--target", "der Nachbar"});
    return run(arguments);
  }
  static std::string complaint(const ProgramResult& result) {
    EXPECT_EQ(result.code, 2);
    EXPECT_EQ(result.out, "");
    return result.err;
  }

  inline static std::unique_ptr<TempDir> folder_;
};

TEST_F(AttentionCommand, DrawsTheMeanOfTheLastLayerWithFigures) {
  const ProgramResult result = look({});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, StartsWith("cross attention, layer 3, mean of 2 heads\n"));
  EXPECT_THAT(result.out, HasSubstr("farmer"));
  EXPECT_THAT(result.out, HasSubstr("\ncross        3    2 "));
  EXPECT_THAT(result.out, Not(HasSubstr("\x1b")));
}

TEST_F(AttentionCommand, DrawsTheLayersAndHeadsThatAreAskedFor) {
  const std::string one = look({"--part", "encoder", "--layer", "2", "--head", "1"}).out;
  EXPECT_THAT(one, StartsWith("encoder self-attention, layer 2, head 1\n"));
  EXPECT_THAT(one, Not(HasSubstr("layer 2, head 2")));
  const std::string all = look({"--part", "decoder", "--layer", "all", "--head", "all"}).out;
  EXPECT_THAT(all, HasSubstr("decoder self-attention, layer 1, head 1\n"));
  EXPECT_THAT(all, HasSubstr("decoder self-attention, layer 3, head 2\n"));
  EXPECT_THAT(all, HasSubstr("<start>"));
}

TEST_F(AttentionCommand, TranslatesASourceAlone) {
  const ProgramResult result = run({"--source", "the", "--format", "json"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(Json::parse(result.out).at("translated"), true);
}

TEST_F(AttentionCommand, WritesEachFormatByTheEndingOfTheOutput) {
  const std::vector<std::pair<std::string, std::string>> formats = {{"a.html", "<!DOCTYPE html>"},
                                                                    {"a.svg", "<svg "},
                                                                    {"a.json", "{\"source\""},
                                                                    {"a.npz", "PK\x03\x04"},
                                                                    {"a.txt", "cross attention"}};
  for (const auto& [name, start] : formats) {
    const ProgramResult result = look({"--output", path(name)});
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(read_bytes(path(name)), StartsWith(start));
  }
  look({"--format", "json", "--output", path("b.html")});
  EXPECT_THAT(read_bytes(path("b.html")), StartsWith("{"));
}

TEST_F(AttentionCommand, DrawsLinesOfOneToken) {
  const ProgramResult result =
      look({"--format", "svg", "--style", "lines", "--layer", "1", "--head", "1", "--token", "1"});
  EXPECT_THAT(result.out, HasSubstr("cross attention, layer 1, head 1"));
  EXPECT_THAT(result.out, HasSubstr("<line "));
}

TEST_F(AttentionCommand, AveragesFiguresOverAFile) {
  const ProgramResult table = run({"--input", path("source"), "--target-input", path("target")});
  EXPECT_EQ(table.code, 0) << table.err;
  EXPECT_THAT(table.out, StartsWith("means over 2 sentences\n"));
  EXPECT_THAT(table.err, HasSubstr("1 line left out; the first is " + path("source") + ":2"));
  const Json json = Json::parse(run({"--input", path("source"), "--format", "json"}).out);
  EXPECT_EQ(json.at("sentences"), 2);
  EXPECT_EQ(json.at("figures").size(), 16U);
}

TEST_F(AttentionCommand, ScoresAlignmentsOfEveryHead) {
  const std::vector<std::string> flags = {"--input",      path("source"),  "--target-input",
                                          path("target"), "--align-error", path("gold")};
  const ProgramResult table = run(flags);
  EXPECT_EQ(table.code, 0) << table.err;
  EXPECT_THAT(table.out, HasSubstr("alignment error rate (%), attention at reading the target"));
  EXPECT_THAT(table.out, HasSubstr("\nbest: layer "));
  EXPECT_THAT(table.err, HasSubstr("1 link beyond the sentences left out"));
}

TEST_F(AttentionCommand, SaysWhatIsMissingOrDoesNotGoTogether) {
  EXPECT_EQ(run_yona({"attention", "--source", "x"}).err,
            "yona: attention: --model is missing; name a model folder\n");
  EXPECT_EQ(
      run_yona({"attention", "--model", folder_->path().string(), "--source", "x"}).err,
      "yona: --model: " + folder_->path().string() + ": is not a model folder (no config.json)\n");
  EXPECT_EQ(complaint(run({})),
            "yona: attention: give either --source TEXT or --input FILE to look at\n");
  EXPECT_EQ(complaint(run({"--source", "x", "--target-input", "f"})),
            "yona: attention: --target-input and --align-error belong to --input\n");
  EXPECT_EQ(complaint(run({"--input", path("source"), "--target", "x"})),
            "yona: attention: --target belongs to --source; see --target-input\n");
  EXPECT_EQ(complaint(run({"--input", path("source"), "--format", "svg"})),
            "yona: --format: svg shows one sentence; with --input only terminal and json\n");
  EXPECT_EQ(complaint(run({"--input", path("source"), "--align-error", path("gold")})),
            "yona: attention: --align-error needs the translations that were aligned: "
            "--target-input FILE\n");
  EXPECT_EQ(complaint(run({"--input", path("none")})),
            "yona: --input: " + path("none") + ": no such file\n");
  EXPECT_EQ(complaint(look({"--token", "1", "--format", "svg"})),
            "yona: --token: belongs to --style lines\n");
}

TEST_F(AttentionCommand, NamesTheRangeOfLayersAndHeads) {
  EXPECT_EQ(complaint(look({"--output", path("picture.gif")})),
            "yona: --output: no format is known by its ending '.gif'; name one with --format: "
            "terminal, html, svg, png, json, npz\n");
  EXPECT_EQ(complaint(look({"--layer", "4"})),
            "yona: attention: there is no layer 4 in the cross attention; it has 3\n");
  EXPECT_EQ(complaint(look({"--head", "3"})),
            "yona: attention: there is no head 3; the model has 2 in each layer\n");
  EXPECT_THAT(complaint(look({"--layer", "0"})), HasSubstr("--layer: expected a whole number"));
  EXPECT_THAT(complaint(look({"--part", "middle"})),
              HasSubstr("--part: expected encoder, decoder or cross, got 'middle'"));
}

TEST_F(AttentionCommand, RefusesTextThatCannotBe) {
  EXPECT_EQ(complaint(run({"--source", ""})),
            "yona: --source: the value is empty (is a variable unset?)\n");
  EXPECT_EQ(complaint(run({"--source", "\xFF"})), "yona: --source: the text is not UTF-8\n");
  write_bytes(path("bad"), "0-0 x\n\n0-0\n");
  EXPECT_EQ(
      complaint(run({"--input", path("source"), "--target-input", path("target"), "--align-error",
                     path("bad")})),
      "yona: " + path("bad") + ":1: 'x' is not a link; expected 3-4 (sure) or 3p4 (possible)\n");
  write_bytes(path("short"), "x\n");
  EXPECT_THAT(complaint(run({"--input", path("source"), "--target-input", path("short")})),
              HasSubstr("differ in length"));
  write_bytes(path("blank"), "\n\n");
  EXPECT_THAT(complaint(run({"--input", path("blank")})),
              HasSubstr("attention: no line is left to look at"));
}

TEST_F(AttentionCommand, TakesOddCharacters) {
  for (const std::string text :
       {"<b>&\"'", "שלום עולם", "七点一刻", "🎈👩‍👩‍👧", "\x1b[31m", "a"}) {
    for (const char* format : {"terminal", "html", "svg", "json", "npz"}) {
      const ProgramResult result =
          run({"--source", text, "--target", text, "--format", format, "--output", path("odd")});
      EXPECT_EQ(result.code, 0) << result.err;
    }
  }
}

}  // namespace
}  // namespace yona::testing
