#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/json.h"

#include "tests/cli/program.h"

namespace yona::testing {
namespace {

TEST(BenchAttentionCommand, PrintsALineForEachLength) {
  const ProgramResult result =
      run_yona({"bench", "attention", "--lengths", "32,48", "--heads", "1", "--width", "16",
                "--steps", "1", "--threads", "1", "--causal"});
  ASSERT_EQ(result.code, 0) << result.err;
  const std::size_t cut = result.out.find('\n');
  EXPECT_EQ(Json::parse(result.out.substr(0, cut)).at("length"), 32);
  EXPECT_EQ(Json::parse(result.out.substr(cut + 1)).at("length"), 48);
}

TEST(BenchAttentionCommand, TakesAWindow) {
  const ProgramResult result = run_yona({"bench", "attention", "--lengths", "200", "--heads", "1",
                                         "--width", "16", "--window", "16", "--threads", "1"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(Json::parse(result.out).at("window"), 16);
}

TEST(BenchAttentionCommand, ComplainsAboutValues) {
  const ProgramResult result = run_yona({"bench", "attention", "--lengths", "64,x"});
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(result.err, "yona: --lengths: expected a whole number from 1 to 1048576, got 'x'\n");
}

}  // namespace
}  // namespace yona::testing
