#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/json.h"

#include "tests/cli/program.h"

namespace yona::testing {
namespace {

TEST(BenchPeakCommand, PrintsOneJsonLine) {
  const ProgramResult result = run_yona({"bench", "peak", "--threads", "1", "--seconds", "0"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_GT(Json::parse(result.out).at("gflops").get<double>(), 0.0);
}

TEST(BenchPeakCommand, ComplainsAboutValues) {
  const ProgramResult result = run_yona({"bench", "peak", "--precision", "f64"});
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(result.err, "yona: --precision: expected f32 or bf16, got 'f64'\n");
}

}  // namespace
}  // namespace yona::testing
