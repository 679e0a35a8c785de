// The program under `ulimit -v`, as batch systems set it, and where the files of its control group
// say that there is little memory: files of the test are mounted over them, in a mount namespace of
// their own. Where that is not allowed, those tests are skipped.

#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/program.h"
#include "tests/harness/lm_folder.h"
#include "tests/harness/sanitized.h"
#include "tests/harness/small_model.h"

namespace yona::testing {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// A line for the shell in which $Y is the program.
ProgramResult shell(const std::string& line) {
  const TempDir folder;
  const std::string out = folder / "out";
  const std::string err = folder / "err";
  const int status =
      std::system(fmt::format("Y='{}'; ({}) >'{}' 2>'{}'", YONA_PROGRAM, line, out, err).c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), read_bytes(out),
          read_bytes(err)};
}

class UnderALimit : public ::testing::Test {
 protected:
  void SetUp() override {
    if (kSanitized) {
      GTEST_SKIP() << "sanitizers need address space of their own";
    }
  }
};

TEST_F(UnderALimit, ATinyModelIsTrainedAndTranslatesTheSame) {
  const TempDir folder;
  const std::string run = folder / "run";
  const ProgramResult demo = shell(
      fmt::format("ulimit -v 2000000; \"$Y\" demo --updates 3 --output '{}' </dev/null", run));
  ASSERT_EQ(demo.code, 0) << demo.err;
  const std::string command =
      fmt::format("printf 'seven\\nhalf past three\\n' | \"$Y\" translate -m '{}/model'", run);
  const ProgramResult free = shell(command);
  ASSERT_EQ(free.code, 0) << free.err;
  for (const char* limit : {"ulimit -v 2000000", "ulimit -d 1000000"}) {
    const ProgramResult limited = shell(fmt::format("{}; {}", limit, command));
    EXPECT_EQ(limited.code, 0) << limited.err;
    EXPECT_EQ(limited.out, free.out);
  }
}

TEST_F(UnderALimit, AModelIsServed) {
  const SmallModel model;
  const ProgramResult result = shell(
      fmt::format("ulimit -v 2000000; \"$Y\" serve --port 0 -m '{}' & server=$!; for i in $(seq "
                  "300); do sleep 0.1; kill -0 $server || break; kill -INT $server; done; "
                  "wait $server",
                  model.path().string()));
  EXPECT_EQ(result.code, 0) << result.err;
}

TEST_F(UnderALimit, TooLittleIsOneLine) {
  const SmallModel model;
  for (const int kilobytes : {60000, 80000, 100000, 120000, 150000, 200000, 300000}) {
    const ProgramResult result = shell(fmt::format(
        "ulimit -v {}; echo seven | \"$Y\" translate -m '{}'", kilobytes, model.path().string()));
    if (result.code == 127) {
      continue;  // not even the libraries fit
    }
    EXPECT_THAT(result.code, AnyOf(0, 1)) << kilobytes << ": " << result.err;
    if (result.code == 1) {
      EXPECT_THAT(result.err, HasSubstr("yona: "));
      EXPECT_THAT(result.err, HasSubstr("ulimit -v")) << kilobytes;
      EXPECT_EQ(result.err.find("unexpected"), std::string::npos) << result.err;
    }
  }
}

// A control group with so many bytes: `line` is run with $Y as the program.
class InAGroup : public UnderALimit {
 protected:
  void SetUp() override {
    UnderALimit::SetUp();
    if (!IsSkipped() && shell(mounted(1, "true")).code != 0) {
      GTEST_SKIP() << "a mount namespace is not allowed here";
    }
  }
  std::string mounted(std::int64_t bytes, const std::string& line) const {
    for (const char* name : {"memory.max", "memory.limit_in_bytes"}) {
      write_bytes(group_ / name, fmt::format("{}\n", bytes));
    }
    return fmt::format(
        "unshare -rm sh -c '"
        "places=$(sed -nE \"s/^[^ ]+ [^ ]+ [^ ]+ [^ ]+ ([^ ]+) .* - cgroup(2 .*| "
        ".*memory.*)/\\1/p\" "
        "/proc/self/mountinfo); "
        "for place in ${{places:-/sys/fs/cgroup}}; do mount --bind {} $place || exit 1; done; {}'",
        group_.path().string(), line);
  }
  // The error of a command that is refused for lack of memory.
  std::string refused(const std::string& line) const {
    const ProgramResult result = shell("export Y; " + mounted(30'000'000, line));
    EXPECT_EQ(result.code, 1) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    return result.err;
  }

  TempDir group_;
};

TEST_F(InAGroup, EachKindOfModelIsRefusedBeforeItIsRead) {
  const SmallModel translation;
  const LmFolder language;
  const std::string fixtures = YONA_FIXTURES;
  const std::string picture = group_ / "pictures-idx3-ubyte";
  write_bytes(picture,
              std::string("\0\0\x08\x03\0\0\0\1\0\0\0\4\0\0\0\5", 16) + std::string(20, 'x'));
  const std::pair<std::string, std::string> commands[] = {
      {"translate", translation.path()},
      {"generate --prompt a", language.path()},
      {"embed", fixtures + "/encoders/bert-classes"},
      {"classify --image " + picture, fixtures + "/vit/vit"}};
  for (const auto& [command, model] : commands) {
    EXPECT_THAT(
        refused(fmt::format("echo seven | \"$Y\" {} --threads 1 --model \"{}\"", command, model)),
        AllOf(StartsWith("yona: " + model + ": about "),
              HasSubstr(" of memory are needed, the limit ("),
              HasSubstr(") is 30.0 MB; raise it, or ")));
  }
}

TEST_F(InAGroup, MemoryThatGrowsEndsWithAnErrorBeforeItIsKilled) {
  EXPECT_THAT(refused("\"$Y\" bench translate --preset base --vocab-size 50 --reps 1 --threads 1"),
              AllOf(StartsWith("yona: cpu: out of memory: "), HasSubstr(") is 30.0 MB; raise it")));
}

}  // namespace
}  // namespace yona::testing
