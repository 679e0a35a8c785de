#include "yona/io/run_lock.h"

#include <array>
#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/temp_dir.h"

namespace yona {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::yona::testing::message_of;
using ::yona::testing::TempDir;
using ::yona::testing::write_bytes;

TEST(RunLock, RefusesASecondHolderNamingTheFirst) {
  const TempDir dir;
  const RunLock first(dir.path());
  EXPECT_THAT(message_of<InvalidArgument>([&] { RunLock{dir.path()}; }),
              AllOf(HasSubstr("is in use by another run: process " + std::to_string(::getpid())),
                    HasSubstr("choose another folder")));
}

TEST(RunLock, IsFreeAgainAfterTheHolderAndWithAStaleFile) {
  const TempDir dir;
  { const RunLock first(dir.path()); }
  write_bytes(dir / ".lock", "process 1 on elsewhere\n");
  EXPECT_NO_THROW(RunLock{dir.path()});
}

TEST(RunLock, IsReleasedByKill9) {
  const TempDir dir;
  std::array<int, 2> ready{};
  ASSERT_EQ(::pipe(ready.data()), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const RunLock lock(dir.path());
    [[maybe_unused]] const ssize_t told = ::write(ready[1], "x", 1);
    ::pause();
    ::_exit(0);
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  EXPECT_THAT(message_of<InvalidArgument>([&] { RunLock{dir.path()}; }),
              HasSubstr("process " + std::to_string(child) + " on "));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_NO_THROW(RunLock{dir.path()});
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST(RunLock, NamesAFolderThatIsMissing) {
  const TempDir dir;
  EXPECT_THAT(message_of<IoError>([&] { RunLock{dir / "none"}; }),
              HasSubstr("none/.lock: No such file or directory"));
}

}  // namespace
}  // namespace yona
