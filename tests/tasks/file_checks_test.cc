#include "yona/tasks/file_checks.h"

#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/temp_dir.h"

namespace yona {
namespace {

TEST(FileChecks, OnlyFilesThatCanBeReadTwiceAreTaken) {
  const testing::TempDir folder;
  testing::write_bytes(folder / "a", "x");
  const auto refused = [](const std::filesystem::path& path) {
    return testing::message_of<InvalidArgument>([&] { check_data_file(path, "data.train"); });
  };
  EXPECT_NO_THROW(check_data_file(folder / "a", "data.train"));
  EXPECT_NO_THROW(check_data_file("", "data.valid"));
  EXPECT_EQ(refused("/no/such"), "data.train: /no/such: no such file");
  EXPECT_EQ(refused("/tmp"), "data.train: /tmp: is a folder, not a file");
  EXPECT_EQ(refused("/dev/null"),
            "data.train: /dev/null: is a pipe or a device, and is read more than once; write its "
            "content to a file first");
}

TEST(FileChecks, PathsAreMadeAbsoluteButEmptyOnes) {
  std::vector<std::filesystem::path> paths{"a/../b.txt", "", "/c"};
  make_absolute(paths);
  EXPECT_EQ(paths[0], std::filesystem::current_path() / "b.txt");
  EXPECT_EQ(paths[1], "");
  EXPECT_EQ(paths[2], "/c");
}

}  // namespace
}  // namespace yona
