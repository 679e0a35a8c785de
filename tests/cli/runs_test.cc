#include <gtest/gtest.h>

#include "yona/base/json.h"

#include "tests/cli/program.h"

namespace yona::testing {
namespace {

TEST(RunsCommand, ListsTheRunsOfAFolder) {
  TempDir folder;
  std::filesystem::create_directory(folder / "first");
  write_bytes(folder / "first" / "log.jsonl",
              "{\"event\":\"started\",\"model\":\"tiny\",\"updates\":9}\n"
              "{\"event\":\"update\",\"update\":7,\"updates\":9,\"loss\":1.5,\"seconds\":65}\n");
  const ProgramResult text = run_yona({"runs", "--folder", folder.path()});
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_NE(text.out.find("first"), std::string::npos);
  EXPECT_NE(text.out.find("1.5000"), std::string::npos);
  EXPECT_NE(text.out.find("running or killed"), std::string::npos);
  const Json list = Json::parse(run_yona({"runs", "--folder", folder.path(), "--json"}).out);
  EXPECT_EQ(list[0]["update"], 7);
  EXPECT_TRUE(list[0]["best_loss"].is_null());
}

TEST(RunsCommand, SaysThatThereIsNone) {
  TempDir folder;
  const ProgramResult result = run_yona({"runs", "--folder", folder.path()});
  EXPECT_EQ(result.code, 0);
  EXPECT_NE(result.err.find("no folder in it holds a run"), std::string::npos);
  EXPECT_EQ(run_yona({"runs", "--folder", folder / "none"}).code, 2);
}

}  // namespace
}  // namespace yona::testing
