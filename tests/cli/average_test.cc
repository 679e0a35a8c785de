#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/json.h"

#include "tests/cli/program.h"

namespace yona::testing {
namespace {

using ::testing::HasSubstr;

class Average : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder = new TempDir;
    std::string english;
    std::string german;
    for (int i = 0; i < 300; ++i) {
      english += fmt::format("the house number {} is red\n", i * 7);
      german += fmt::format("das Haus Nummer {} ist rot\n", i * 7);
    }
    write_bytes(*folder / "a.en", english);
    write_bytes(*folder / "a.de", german);
    const ProgramResult result = run_yona({"train",
                                           "--train-src",
                                           path("a.en"),
                                           "--train-tgt",
                                           path("a.de"),
                                           "--valid-src",
                                           path("a.en"),
                                           "--valid-tgt",
                                           path("a.de"),
                                           "--preset",
                                           "tiny",
                                           "--set",
                                           "model.layers=1",
                                           "--set",
                                           "model.d_model=16",
                                           "--batch-tokens",
                                           "256",
                                           "--vocab-size",
                                           "400",
                                           "--updates",
                                           "3",
                                           "--set",
                                           "train.save_every=1",
                                           "--set",
                                           "train.valid_every=1",
                                           "--output",
                                           path("run"),
                                           "-q"});
    ASSERT_EQ(result.code, 0) << result.err;
  }
  static void TearDownTestSuite() {
    delete folder;
    folder = nullptr;
  }
  static std::string path(std::string_view name) { return *folder / name; }
  static std::string complaint(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "average");
    const ProgramResult result = run_yona(arguments);
    EXPECT_EQ(result.code, 2) << result.err;
    return result.err;
  }

  static TempDir* folder;
};
TempDir* Average::folder = nullptr;

TEST_F(Average, TakesTheLastTheBestOrNamedCheckpoints) {
  const ProgramResult last =
      run_yona({"average", "--run", path("run"), "--last", "2", "--output", path("last")});
  ASSERT_EQ(last.code, 0) << last.err;
  EXPECT_EQ(last.out, "the mean of step-2, step-3 is in " + path("last") + "\n");
  EXPECT_EQ(run_yona({"info", "--model", path("last")}).code, 0);
  const ProgramResult best = run_yona(
      {"average", "--run", path("run"), "--best", "2", "--output", path("best"), "--json"});
  ASSERT_EQ(best.code, 0) << best.err;
  EXPECT_EQ(Json::parse(best.out).at("checkpoints").size(), 2U);
  const ProgramResult named =
      run_yona({"average", "--run", path("run"), "--checkpoints", path("run/checkpoints/step-2"),
                path("run/checkpoints/step-3"), "--output", path("named")});
  ASSERT_EQ(named.code, 0) << named.err;
  EXPECT_EQ(read_bytes(*folder / "named/model.safetensors"),
            read_bytes(*folder / "last/model.safetensors"));
}

TEST_F(Average, Complains) {
  EXPECT_EQ(complaint({}), "yona: average: --output is missing; name a folder for the new model\n");
  EXPECT_EQ(complaint({"--output", path("x")}),
            "yona: average: --run is missing; name the folder of a training run\n");
  EXPECT_EQ(complaint({"--run", path("none"), "--output", path("x")}),
            "yona: --run: " + path("none") + ": no such folder\n");
  EXPECT_EQ(complaint({"--run", path("run"), "--output", path("x"), "--last", "2", "--best", "1"}),
            "yona: average: --last, --best and --checkpoints exclude each other; give one\n");
  EXPECT_EQ(complaint({"--run", path("run"), "--output", path("x"), "--last", "0"}),
            "yona: --last: expected a whole number of at least 1, got '0'\n");
  EXPECT_EQ(complaint({"--run", path("run"), "--output", path("x"), "--checkpoints", "/none"}),
            "yona: --checkpoints: /none: no such folder\n");
  EXPECT_THAT(complaint({"--run", path("run"), "--output", path("x"), "--last", "99"}),
              HasSubstr("expected 99 checkpoints, found"));
  EXPECT_THAT(complaint({"--run", path("run"), "--output", path("run"), "--last", "1"}),
              HasSubstr("holds a model already"));
  EXPECT_FALSE(std::filesystem::exists(path("x")));
}

}  // namespace
}  // namespace yona::testing
