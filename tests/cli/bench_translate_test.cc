#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/json.h"

#include "tests/cli/program.h"

namespace yona::testing {
namespace {

TEST(BenchTranslate, PrintsOneJsonLineWithThePeersFields) {
  const ProgramResult result = run_yona(
      {"bench", "translate", "--preset", "tiny", "--vocab-size", "50", "--src-len", "5", "--new",
       "4", "--batch", "2", "--sentences", "3", "--reps", "1", "--threads", "1", "--profile"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 1);
  const Json json = Json::parse(result.out);
  for (const char* field : {"tok_s", "ms", "s", "load_s", "first_s", "mem_mb"}) {
    ASSERT_TRUE(json.contains(field)) << field;
    EXPECT_GT(json.at(field).get<double>(), 0.0) << field;
  }
  EXPECT_TRUE(json.at("ms_by_kernel").contains("cached_attention"));
  // Exactly four tokens for each of three sentences.
  EXPECT_NEAR(json.at("tok_s").get<double>() * json.at("s").get<double>(), 12.0, 1e-6);
}

TEST(BenchTranslate, ComplainsAboutValues) {
  const auto complaint = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"bench", "translate"});
    const ProgramResult result = run_yona(arguments);
    EXPECT_EQ(result.code, 2);
    return result.err;
  };
  EXPECT_EQ(complaint({"--beam", "0"}),
            "yona: --beam: expected a whole number from 1 to 65536, got '0'\n");
  EXPECT_EQ(complaint({"--preset", "huge"}),
            "yona: --preset: expected tiny, iwslt, base or big, got 'huge'\n");
  EXPECT_EQ(complaint({"--model", "/no/such/model"}),
            "yona: --model: /no/such/model: no such folder\n");
}

}  // namespace
}  // namespace yona::testing
