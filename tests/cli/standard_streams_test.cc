// Standard output and error that are closed, full or without a reader: the exit code is that of
// what happened, and nothing aborts.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/program.h"
#include "tests/harness/small_model.h"

namespace yona::testing {
namespace {

// The exit code of a line for the shell in which $Y is the program; 128 + signal as the shell has
// it.
int shell(const std::string& line) {
  const int status = std::system(fmt::format("Y='{}'; {}", YONA_PROGRAM, line).c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST(StandardStreams, WrongUseIsTwoWhereItCannotBeSaid) {
  for (const char* command :
       {"translate -m nosuch", "translate", "nonsense", "train --updates x", "serve -m nosuch",
        "score --ref nosuch", "info --model nosuch", "vocab", "bench train --steps x"}) {
    for (const char* bad : {"2>/dev/full", "2>&-", ">/dev/full 2>/dev/full", ">&- 2>&-"}) {
      EXPECT_EQ(shell(fmt::format("\"$Y\" {} </dev/null {}", command, bad)), 2)
          << command << " " << bad;
    }
    // 2>&1 to a pipe that nothing reads; the code is written by the left side
    const TempDir folder;
    shell(fmt::format("(sleep 0.1; \"$Y\" {} 2>&1 </dev/null; echo $? > '{}') | true", command,
                      (folder / "code").string()));
    EXPECT_EQ(read_bytes(folder / "code"), "2\n") << command;
  }
}

TEST(StandardStreams, AResultThatCannotBeWrittenIsAFailure) {
  for (const char* command : {"--help", "--version", "config", "info --preset tiny",
                              "info --devices", "train --help", "info --preset tiny --json"}) {
    for (const char* bad : {">/dev/full", ">&-", ">/dev/full 2>/dev/full", ">&- 2>&-", "<&- >&-"}) {
      EXPECT_EQ(shell(fmt::format("\"$Y\" {} 2>/dev/null {}", command, bad)), 1)
          << command << " " << bad;
    }
  }
}

TEST(StandardStreams, AResultIsAResultWithoutAnErrorStream) {
  for (const char* bad : {"2>/dev/full", "2>&-", "<&- 2>&-"}) {
    EXPECT_EQ(shell(fmt::format("\"$Y\" info --preset tiny >/dev/null {}", bad)), 0) << bad;
  }
}

TEST(StandardStreams, TranslationsGoWhereTheyShouldWithoutAnErrorStream) {
  const SmallModel model;
  const TempDir folder;
  const std::string input = (folder / "in").string();
  const std::string output = (folder / "out").string();
  const std::string lines = model.lines()[0] + "\n\xff\n";  // not UTF-8: there is a warning
  write_bytes(input, lines);
  const std::string command = fmt::format("\"$Y\" translate -v -m '{}'", model.path().string());
  ASSERT_EQ(shell(fmt::format("{} -i '{}' > '{}' 2>/dev/null", command, input, output)), 0);
  const std::string expected = read_bytes(output);
  for (const char* bad : {"2>/dev/full", "2>&-", "<&- 2>&-", "<&- >&- 2>&-"}) {
    EXPECT_EQ(shell(fmt::format("{} -i '{}' -o '{}' {}", command, input, output, bad)), 0) << bad;
    EXPECT_EQ(read_bytes(output), expected) << bad;  // no line of the log in it
  }
  for (const char* bad : {">/dev/full", ">&-", ">&- 2>&-", ">/dev/full 2>/dev/full"}) {
    EXPECT_EQ(shell(fmt::format("{} -i '{}' 2>/dev/null {}", command, input, bad)), 1) << bad;
  }
  EXPECT_EQ(shell(fmt::format("{} <&- 2>/dev/null >/dev/null", command)), 1);
}

TEST(StandardStreams, ATrainingRunGoesOnWithoutAnErrorStream) {
  const TempDir folder;
  std::string text;
  for (int i = 0; i < 100; ++i) {
    text += fmt::format("one two three {} four five\n", i);
  }
  write_bytes(folder / "a", text);
  for (const char* bad : {"2>/dev/full", "2>&-", "2>&1 >/dev/null | true"}) {
    const std::string run = (folder / "run").string();
    std::filesystem::remove_all(run);
    shell(
        fmt::format("(\"$Y\" train --train-src '{0}' --train-tgt '{0}' --vocab-size 350 --preset "
                    "tiny --set model.d_model=32 --updates 2 -o '{1}'; echo $? > '{2}') {3}",
                    (folder / "a").string(), run, (folder / "code").string(), bad));
    EXPECT_EQ(read_bytes(folder / "code"), "0\n") << bad;
    EXPECT_TRUE(std::filesystem::exists(folder / "run" / "model.safetensors")) << bad;
  }
}

}  // namespace
}  // namespace yona::testing
