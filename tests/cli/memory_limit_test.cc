// The program under `ulimit -v`, as batch systems set it, and in a control group with little
// memory.

#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/program.h"
#include "tests/harness/sanitized.h"
#include "tests/harness/small_model.h"

namespace yona::testing {
namespace {

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

}  // namespace
}  // namespace yona::testing
