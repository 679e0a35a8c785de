#include "yona/train/run_log.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/harness/temp_dir.h"

namespace yona {
namespace {

using testing::read_bytes;
using testing::TempDir;

std::size_t lines_of_log(const std::filesystem::path& folder) {
  const std::string text = read_bytes(folder / "log.jsonl");
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST(RunLog, KeepsWhatIsReportedBeforeTheFolderIsThere) {
  TempDir folder;
  RunLog run_log(folder / "run", 1);
  run_log.message(MessageLevel::info, "early");
  EXPECT_FALSE(std::filesystem::exists(folder / "run"));
  std::filesystem::create_directory(folder / "run");
  run_log.message(MessageLevel::info, "late");
  EXPECT_EQ(lines_of_log(folder / "run"), 2U);
  EXPECT_NE(read_bytes(folder / "run" / "log.jsonl").find("early"), std::string::npos);
}

TEST(RunLog, GoesOnInTheSameFile) {
  TempDir folder;
  for (int i = 0; i < 2; ++i) {
    RunLog run_log(folder.path(), 1);
    run_log.started({});
    run_log.finished({});
  }
  EXPECT_EQ(lines_of_log(folder.path()), 4U);
}

TEST(RunLog, DoesNotEndARunWhenItCannotBeWritten) {
  TempDir folder;
  std::filesystem::create_directory(folder / "log.jsonl");
  RunLog run_log(folder.path(), 1);
  EXPECT_NO_THROW(run_log.started({}));
  EXPECT_NO_THROW(run_log.finished({}));
}

}  // namespace
}  // namespace yona
