#include "yona/base/mapped_file.h"

#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/temp_dir.h"

namespace yona {
namespace {

using ::testing::HasSubstr;
using ::yona::testing::message_of;
using ::yona::testing::TempDir;
using ::yona::testing::write_bytes;

TEST(MappedFile, ShowsTheBytesAndKeepsTheirAddressWhenMoved) {
  const TempDir dir;
  write_bytes(dir / "a", std::string_view("one\0two", 7));
  MappedFile file(dir / "a");
  const char* address = file.bytes().data();
  EXPECT_EQ(file.bytes(), std::string_view("one\0two", 7));
  const MappedFile moved = std::move(file);
  EXPECT_EQ(moved.bytes().data(), address);
  EXPECT_EQ(moved.path(), dir / "a");
}

TEST(MappedFile, AnEmptyFileHasNoBytes) {
  const TempDir dir;
  write_bytes(dir / "empty", "");
  EXPECT_TRUE(MappedFile(dir / "empty").bytes().empty());
}

TEST(MappedFile, SeesTheOldBytesAfterTheNameIsReplaced) {
  const TempDir dir;
  write_bytes(dir / "a", "old");
  const MappedFile file(dir / "a");
  write_bytes(dir / "b", "new and longer");
  std::filesystem::rename(dir / "b", dir / "a");
  EXPECT_EQ(file.bytes(), "old");
}

// Pages of files that count as this process's memory (Linux).
std::int64_t file_pages() {
  std::int64_t all = 0;
  std::int64_t resident = 0;
  std::int64_t shared = 0;
  std::ifstream("/proc/self/statm") >> all >> resident >> shared;
  return shared;
}

TEST(MappedFile, ForgottenPagesAreNoMemoryOfTheProcessAndCanBeReadAgain) {
  const TempDir dir;
  const std::string text(std::size_t{16} << 20U, 'x');
  write_bytes(dir / "a", text);
  const MappedFile file(dir / "a");
  EXPECT_EQ(file.bytes(), text);
  const std::int64_t before = file_pages();
  file.forget(file.bytes().substr(100, text.size() - 200));
  EXPECT_LT(file_pages(), before - 3000);  // of 4096
  EXPECT_EQ(file.bytes(), text);
  file.forget(file.bytes().substr(0, 0));
}

TEST(MappedFile, NamesAMissingFileAndAFolder) {
  const TempDir dir;
  EXPECT_THAT(message_of<IoError>([&] { MappedFile(dir / "none"); }),
              HasSubstr("none: No such file or directory"));
  EXPECT_THAT(message_of<IoError>([&] { MappedFile{dir.path()}; }),
              HasSubstr("not a regular file"));
}

}  // namespace
}  // namespace yona
