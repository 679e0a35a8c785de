// The program as a whole: help, version, exit codes, one-line errors with the nearest name.

#include <algorithm>
#include <array>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/every_command.h"

namespace yona::testing {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;

// Wrong use: exit code 2, nothing on standard output, one line on standard error.
std::string complaint(const std::vector<std::string>& arguments) {
  const ProgramResult result = run_yona(arguments);
  EXPECT_EQ(result.code, 2) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, StartsWith("yona: "));
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  return result.err.substr(6, result.err.size() - 7);
}

TEST(Program, ShowsItsHelpAndEveryCommand) {
  const ProgramResult result = run_yona({"--help"});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.err, "");
  std::vector<std::string> commands;
  for (const Words& words : every_command()) {
    commands.push_back(fmt::format("{}", fmt::join(words, " ")));
  }
  EXPECT_THAT(commands, UnorderedElementsAre(
                            "demo", "train", "translate", "serve", "score", "attention", "average",
                            "info", "runs", "config", "vocab", "convert", "shortlist", "perplexity",
                            "classify", "embed", "fill", "generate", "parse", "study", "bench",
                            "bench train", "bench scaling", "bench attention", "bench peak",
                            "bench translate", "bench generate"));
  EXPECT_EQ(run_yona({"-h"}).out, result.out);
}

TEST(Program, ShowsTheHelpOfEachCommandWithAnExample) {
  for (Words command : every_command()) {
    std::string name = "yona";
    for (const std::string& word : command) {
      name += " " + word;
    }
    command.emplace_back("--help");
    const ProgramResult result = run_yona(command);
    EXPECT_EQ(result.code, 0) << name;
    EXPECT_EQ(result.err, "");
    EXPECT_THAT(result.out, StartsWith(name + ": "));
    EXPECT_THAT(result.out, HasSubstr("\nUsage: " + name + " "));
    EXPECT_THAT(result.out, HasSubstr("\nExamples:\n  yona "));
  }
}

TEST(Program, WrapsItsHelpAtAHundredColumns) {
  std::vector<Words> commands = every_command();
  commands.emplace_back();  // the program itself
  for (Words command : commands) {
    command.emplace_back("--help");
    std::istringstream lines(run_yona(command).out);
    for (std::string line; std::getline(lines, line);) {
      const auto continuation = [](unsigned char c) { return (c & 0xC0U) == 0x80U; };
      const auto hidden = std::count_if(line.begin(), line.end(), continuation);
      EXPECT_LE(static_cast<std::ptrdiff_t>(line.size()) - hidden, 100) << line;
    }
  }
}

TEST(Program, HasTheSameShortFlagsEverywhere) {
  for (const Words& command : every_command()) {
    for (const std::string& flag : flags_of(run_yona(with(command, {"--help"})).out)) {
      for (const char* both : {"-m,--model", "-i,--input", "-o,--output"}) {
        EXPECT_NE(flag, std::string(both).substr(3)) << command.back();
      }
    }
  }
}

TEST(Program, ShowsItsVersion) {
  const ProgramResult result = run_yona({"--version"});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.out, "yona " YONA_VERSION "\n");
}

TEST(Program, WantsACommand) {
  EXPECT_EQ(complaint({}), "no command is given; see `yona --help`");
  EXPECT_EQ(complaint({"bench"}), "bench: no command is given; see `yona bench --help`");
}

TEST(Program, SuggestsTheNearestCommand) {
  EXPECT_EQ(complaint({"trian"}), "unknown command 'trian'; did you mean train?");
  EXPECT_EQ(complaint({"inof"}), "unknown command 'inof'; did you mean info?");
  EXPECT_EQ(complaint({"inof", "--help"}), "unknown command 'inof'; did you mean info?");
  EXPECT_EQ(complaint({"bench", "trian"}), "bench: unknown command 'trian'; did you mean train?");
  EXPECT_EQ(complaint({"banana"}), "unknown command 'banana'; see `yona --help`");
}

TEST(Program, SuggestsTheNearestFlag) {
  EXPECT_EQ(complaint({"info", "--prest", "base"}),
            "info: unknown flag '--prest'; did you mean --preset?");
  EXPECT_EQ(complaint({"bench", "train", "--step=3"}),
            "bench train: unknown flag '--step'; did you mean --steps?");
  EXPECT_EQ(complaint({"info", "--banana"}),
            "info: unknown flag '--banana'; see `yona info --help`");
  EXPECT_EQ(complaint({"--banana"}), "unknown flag '--banana'; see `yona --help`");
  EXPECT_EQ(complaint({"info", "--devices", "extra"}),
            "info: unexpected argument 'extra'; see `yona info --help`");
}

TEST(Program, NamesAFlagWithoutItsValueOrGivenTwice) {
  EXPECT_EQ(complaint({"info", "--preset"}),
            "info: --preset needs a value; see `yona info --help`");
  EXPECT_EQ(complaint({"info", "--preset", "base", "--preset", "big"}),
            "info: --preset is given more than once; see `yona info --help`");
  EXPECT_EQ(complaint({"info", "--preset", "--devices"}),
            "--preset: expected tiny, iwslt, base or big, got '--devices'");
}

TEST(Program, RefusesVerboseAndQuietTogether) {
  EXPECT_EQ(complaint({"info", "--devices", "-v", "-q"}),
            "-v and -q contradict each other; give one of them");
}

TEST(Program, TakesVerbosityBeforeTheCommandToo) {
  EXPECT_EQ(run_yona({"-v", "info", "--devices"}).code, 0);
}

TEST(Program, FailsWhenItsOutputCannotBeWritten) {
  if (!std::filesystem::exists("/dev/full")) {
    GTEST_SKIP() << "no /dev/full here";
  }
  const int status =
      std::system("\"" YONA_PROGRAM "\" info --preset tiny > /dev/full 2> /dev/null");
  EXPECT_EQ(WEXITSTATUS(status), 1);
}

TEST(Program, SaysSoWhenTheReaderOfItsOutputHasGone) {
  const TempDir folder;
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  ::close(ends[0]);
  const std::string command =
      fmt::format("\"{}\" config >&{} 2> \"{}\"", YONA_PROGRAM, ends[1], (folder / "err").string());
  const int status = std::system(command.c_str());
  ::close(ends[1]);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 1);
  EXPECT_EQ(read_bytes(folder / "err"), "yona: standard output cannot be written\n");
}

}  // namespace
}  // namespace yona::testing
