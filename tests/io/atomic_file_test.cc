#include "yona/io/atomic_file.h"

#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/file_size_limit.h"
#include "tests/harness/temp_dir.h"

namespace yona {
namespace {

using ::testing::HasSubstr;
using ::yona::testing::FileSizeLimit;
using ::yona::testing::message_of;
using ::yona::testing::read_bytes;
using ::yona::testing::TempDir;
using ::yona::testing::write_bytes;

TEST(ReplaceFile, ReplacesTheContent) {
  const TempDir dir;
  replace_file(dir / "config.json", "one");
  replace_file(dir / "config.json", "two");
  EXPECT_EQ(read_bytes(dir / "config.json"), "two");
  EXPECT_FALSE(std::filesystem::exists(temporary_path(dir / "config.json")));
}

TEST(ReplaceFile, LeavesTheOldFileWhenTheWriterThrows) {
  const TempDir dir;
  replace_file(dir / "a", "old");
  EXPECT_THROW(replace_file(dir / "a",
                            [](const std::filesystem::path& path) {
                              write_bytes(path, "half");
                              throw std::runtime_error("stop");
                            }),
               std::runtime_error);
  EXPECT_EQ(read_bytes(dir / "a"), "old");
  EXPECT_FALSE(std::filesystem::exists(temporary_path(dir / "a")));
}

TEST(ReplaceFile, LeavesTheOldFileWhenThereIsNoRoom) {
  const TempDir dir;
  replace_file(dir / "a", "old");
  {
    const FileSizeLimit limit(100);
    EXPECT_THAT(message_of<IoError>([&] { replace_file(dir / "a", std::string(1000, 'x')); }),
                HasSubstr("1000 bytes were needed"));
  }
  EXPECT_EQ(read_bytes(dir / "a"), "old");
}

TEST(ReplaceFile, SaysWhyWhenAFolderIsInTheWay) {
  const TempDir dir;
  std::filesystem::create_directory(dir / "a");
  EXPECT_THAT(message_of<IoError>([&] { replace_file(dir / "a", "x"); }),
              HasSubstr("cannot rename"));
}

TEST(RemoveLeftovers, RemovesTemporariesAndNothingElse) {
  const TempDir dir;
  std::filesystem::create_directory(dir / ".step-5.tmp-99");
  write_bytes(dir / ".step-5.tmp-99/model.safetensors", "half");
  write_bytes(dir / ".config.json.tmp-7", "half");
  write_bytes(dir / ".lock", "");
  write_bytes(dir / "notes.tmp-1", "mine");
  remove_leftovers(dir.path());
  EXPECT_FALSE(std::filesystem::exists(dir / ".step-5.tmp-99"));
  EXPECT_FALSE(std::filesystem::exists(dir / ".config.json.tmp-7"));
  EXPECT_TRUE(std::filesystem::exists(dir / ".lock"));
  EXPECT_TRUE(std::filesystem::exists(dir / "notes.tmp-1"));
  EXPECT_NO_THROW(remove_leftovers(dir / "no such folder"));
}

}  // namespace
}  // namespace yona
