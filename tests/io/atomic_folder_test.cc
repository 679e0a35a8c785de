#include "yona/io/atomic_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/io/checksums.h"

#include "tests/harness/temp_dir.h"

namespace yona {
namespace {

using ::testing::HasSubstr;
using ::yona::testing::message_of;
using ::yona::testing::read_bytes;
using ::yona::testing::TempDir;
using ::yona::testing::write_bytes;

std::size_t entries_in(const std::filesystem::path& folder) {
  const std::filesystem::directory_iterator all(folder);
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

TEST(AtomicFolder, AppearsOnlyWhenCommittedAndCarriesItsChecksums) {
  const TempDir dir;
  AtomicFolder folder(dir / "a");
  write_bytes(folder.path() / "x", "content");
  EXPECT_FALSE(std::filesystem::exists(dir / "a"));
  folder.commit();
  EXPECT_EQ(read_bytes(dir / "a" / "x"), "content");
  EXPECT_NO_THROW(verify_folder(dir / "a"));
}

TEST(AtomicFolder, IsRemovedWhenNotCommitted) {
  const TempDir dir;
  { const AtomicFolder folder(dir / "a"); }
  EXPECT_EQ(entries_in(dir.path()), 0U);
}

TEST(AtomicFolder, ReplacesWhatIsThereAndLeavesNothingElse) {
  const TempDir dir;
  for (const char* content : {"old", "new"}) {
    AtomicFolder folder(dir / "a");
    write_bytes(folder.path() / content, content);
    folder.commit();
  }
  EXPECT_TRUE(std::filesystem::exists(dir / "a" / "new"));
  EXPECT_FALSE(std::filesystem::exists(dir / "a" / "old"));
  EXPECT_EQ(entries_in(dir.path()), 1U);
}

TEST(AtomicFolder, TakesOverTheLeftoverOfAProcessWithItsId) {
  const TempDir dir;
  const std::filesystem::path temporary = AtomicFolder(dir / "a").path();
  std::filesystem::create_directory(temporary);
  write_bytes(temporary / "stale", "");
  AtomicFolder folder(dir / "a");
  folder.commit();
  EXPECT_FALSE(std::filesystem::exists(dir / "a" / "stale"));
}

TEST(AtomicFolder, NamesAParentThatIsMissing) {
  const TempDir dir;
  EXPECT_THAT(message_of<IoError>([&] { AtomicFolder(dir / "no" / "a"); }),
              HasSubstr("cannot make folder"));
}

TEST(AtomicFolder, KeepsFoldersInside) {
  const TempDir dir;
  AtomicFolder folder(dir / "a");
  std::filesystem::create_directory(folder.path() / "inner");
  write_bytes(folder.path() / "inner" / "config.json", "{}");
  folder.commit();
  verify_folder(dir / "a");
  EXPECT_EQ(read_bytes(dir / "a" / "inner" / "config.json"), "{}");
}

TEST(AtomicFolder, RefusesLinksInside) {
  const TempDir dir;
  AtomicFolder folder(dir / "a");
  std::filesystem::create_symlink("elsewhere", folder.path() / "link");
  EXPECT_THAT(message_of<InvalidArgument>([&] { folder.commit(); }), HasSubstr("only plain files"));
}

TEST(RemoveFolder, RemovesAllOfItAndNamesOneThatIsMissing) {
  const TempDir dir;
  std::filesystem::create_directories(dir / "a" / "b");
  remove_folder(dir / "a");
  EXPECT_EQ(entries_in(dir.path()), 0U);
  EXPECT_THAT(message_of<IoError>([&] { remove_folder(dir / "a"); }), HasSubstr("cannot rename"));
}

}  // namespace
}  // namespace yona
