// `yona demo` from the outside: where it puts its files. What it trains is the trainer's to test.

#include <algorithm>
#include <chrono>
#include <set>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/program.h"

namespace yona::testing {
namespace {

namespace fs = std::filesystem;

using ::testing::HasSubstr;

// Runs the demo until it has said where its files are; gives that folder.
fs::path folder_of_demo(const std::vector<std::string>& flags, const TempDir& temporary) {
  std::vector<std::string> arguments{"demo", "--updates", "1000000", "--threads", "1"};
  arguments.insert(arguments.end(), flags.begin(), flags.end());
  RunningProgram program(arguments, {"TMPDIR=" + temporary.path().string()});
  const std::string mark = "files are in ";
  for (int i = 0; i < 1200; ++i) {
    const std::string err = program.err();
    const std::size_t at = err.find(mark);
    if (at != std::string::npos && err.find('\n', at) != std::string::npos) {
      const std::size_t begin = at + mark.size();
      return err.substr(begin, err.find('\n', at) - begin);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return {};
}

TEST(Demo, MakesAFolderThatNobodyElseCanKnowOrOpen) {
  const TempDir temporary;
  const fs::path old = temporary / fmt::format("yona-demo-{}-en-de", ::getuid());
  fs::create_directories(old / "model");
  write_bytes(old / "model/kept", "mine");
  const fs::path first = folder_of_demo({}, temporary);
  const fs::path second = folder_of_demo({}, temporary);
  EXPECT_EQ(first.parent_path(), temporary.path());
  EXPECT_THAT(first.filename().string(), ::testing::StartsWith("yona-demo-"));
  EXPECT_NE(first, second);
  EXPECT_NE(first, old);
  EXPECT_EQ(fs::status(first).permissions(), fs::perms::owner_all);
  EXPECT_TRUE(fs::exists(first / "train.en"));
  EXPECT_EQ(read_bytes(old / "model/kept"), "mine");
}

TEST(Demo, LeavesAModelAloneThatIsAlreadyThere) {
  const TempDir folder;
  fs::create_directories(folder / "model");
  write_bytes(folder / "model/kept", "mine");
  const ProgramResult result = run_yona({"demo", "--output", folder.path().string()});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("model already exists; choose another --output"));
  EXPECT_EQ(read_bytes(folder / "model/kept"), "mine");
}

TEST(Demo, WritesOnlyTheTextFilesWithTextOnly) {
  const TempDir folder;
  const ProgramResult result = run_yona(
      {"demo", "--text-only", "--src-lang", "fr", "--output", (folder / "texts").string()});
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(result.err, HasSubstr("60000 training, 500 validation and 1000 test pairs, fr → de"));
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder / "texts")) {
    names.insert(entry.path().filename().string());
  }
  EXPECT_THAT(names, ::testing::ElementsAre("test.de", "test.fr", "train.de", "train.fr",
                                            "valid.de", "valid.fr"));
  const std::string text = read_bytes(folder / "texts/train.fr");
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 60000);
}

TEST(Demo, SaysSoWhereItCannotWrite) {
  const TempDir folder;
  write_bytes(folder / "file", "x");
  const ProgramResult given = run_yona({"demo", "--output", (folder / "file/demo").string()});
  EXPECT_EQ(given.code, 1);
  EXPECT_THAT(given.err, HasSubstr("file/demo: cannot make the output folder: "));
  const ProgramResult temporary = run_yona({"demo"}, {"TMPDIR=" + (folder / "missing").string()});
  EXPECT_EQ(temporary.code, 1);
  EXPECT_THAT(temporary.err, HasSubstr("demo: cannot make a folder like "));
}

}  // namespace
}  // namespace yona::testing
