#include "yona/base/file_writer.h"

#include <csignal>
#include <string>
#include <sys/resource.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/file_size_limit.h"
#include "tests/harness/temp_dir.h"

namespace yona {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::yona::testing::FileSizeLimit;
using ::yona::testing::message_of;
using ::yona::testing::read_bytes;
using ::yona::testing::TempDir;
using ::yona::testing::write_bytes;

TEST(FileWriter, WritesPiecesInOrderOverWhatWasThere) {
  const TempDir dir;
  write_bytes(dir / "a", "something much longer than the new content");
  FileWriter file(dir / "a", 7);
  file.write("one");
  file.write("");
  file.write("\0two", 4);
  EXPECT_EQ(file.written(), 7);
  file.close();
  EXPECT_EQ(read_bytes(dir / "a"), std::string("one\0two", 7));
}

TEST(FileWriter, ReservingMoreThanIsWrittenLeavesTheSizeWritten) {
  const TempDir dir;
  FileWriter file(dir / "a", 1 << 20);
  file.write("short");
  file.close();
  EXPECT_EQ(read_bytes(dir / "a"), "short");
}

TEST(FileWriter, NamesAFolderThatIsMissing) {
  const TempDir dir;
  EXPECT_THAT(message_of<IoError>([&] { FileWriter(dir / "no/such", 12); }),
              AllOf(HasSubstr("no/such: No such file or directory"), HasSubstr("12 bytes")));
}

TEST(FileWriter, SaysHowManyBytesWereNeededWhenThereIsNoRoom) {
  const TempDir dir;
  const std::string bytes(3000, 'x');
  const FileSizeLimit limit(1000);
  FileWriter file(dir / "unreserved");
  EXPECT_THAT(message_of<IoError>([&] { file.write(bytes); }),
              AllOf(HasSubstr("unreserved: File too large"), HasSubstr("3000 bytes were needed"),
                    HasSubstr("1000 are written")));
}

TEST(FileWriter, FindsOutBeforeTheFirstByteWhenTheSizeIsKnown) {
  const TempDir dir;
  const FileSizeLimit limit(1000);
  EXPECT_THAT(message_of<IoError>([&] {
                FileWriter file(dir / "reserved", 5000);
                file.write(std::string(5000, 'x'));
              }),
              AllOf(HasSubstr("reserved: File too large"), HasSubstr("5000 bytes were needed")));
}

TEST(SyncFolder, NamesAFolderThatIsMissing) {
  const TempDir dir;
  EXPECT_NO_THROW(sync_folder(dir.path()));
  EXPECT_THAT(message_of<IoError>([&] { sync_folder(dir / "none"); }), HasSubstr("none"));
}

}  // namespace
}  // namespace yona
