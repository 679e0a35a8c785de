#include "yona/base/file_descriptor.h"

#include <cerrno>

#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/temp_dir.h"

namespace yona {
namespace {

using ::yona::testing::message_of;
using ::yona::testing::TempDir;
using ::yona::testing::write_bytes;

TEST(FileDescriptor, SaysWhetherItIsOpenAndMovesItsFile) {
  const TempDir dir;
  write_bytes(dir / "a", "x");
  FileDescriptor file(dir / "a", O_RDONLY);
  ASSERT_TRUE(file.is_open());
  FileDescriptor moved = std::move(file);
  EXPECT_TRUE(moved.is_open());
  EXPECT_TRUE(moved.close());
  EXPECT_FALSE(moved.is_open());
  EXPECT_TRUE(moved.close());
  EXPECT_FALSE(FileDescriptor(dir / "none", O_RDONLY).is_open());
}

TEST(FailReading, NamesTheFileAndTheReason) {
  EXPECT_EQ(message_of<IoError>([] {
              errno = ENOENT;
              fail_reading("a/b");
            }),
            "cannot read a/b: No such file or directory");
}

}  // namespace
}  // namespace yona
