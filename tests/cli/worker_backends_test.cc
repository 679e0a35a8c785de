#include <gtest/gtest.h>

#include "tests/cli/translate_fixture.h"

namespace yona::testing {
namespace {

class WorkerBackends : public Translate {};

TEST_F(WorkerBackends, GiveTheSameHoweverMany) {
  const std::string input = line(0) + "\n" + line(1) + "\n" + line(2) + "\n";
  const std::string one = translate(input).out;
  EXPECT_EQ(lines_of(one).size(), 3U);
  EXPECT_EQ(translate(input, {"--workers", "2"}).out, one);
  EXPECT_EQ(translate(input, {"--workers", "3", "--threads", "1"}).out, one);
}

TEST_F(WorkerBackends, SayWhatTheyCannotBe) {
  const auto error = [&](const std::vector<std::string>& flags) {
    const ProgramResult result = translate("two\n", flags);
    EXPECT_EQ(result.code, 2) << result.err;
    return result.err;
  };
  EXPECT_EQ(error({"--workers", "2", "--device", "cuda"}),
            "yona: --workers: a GPU takes one; leave it out\n");
  EXPECT_NE(error({"--workers", "0"}).find("--workers"), std::string::npos);
  EXPECT_NE(error({"--threads", "x"}).find("--threads"), std::string::npos);
}

}  // namespace
}  // namespace yona::testing
