#include "yona/io/checkpoints.h"

#include <chrono>
#include <csignal>
#include <string>
#include <sys/mount.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/base/file_writer.h"
#include "yona/io/checksums.h"
#include "yona/io/run_lock.h"

#include "tests/harness/file_size_limit.h"
#include "tests/harness/temp_dir.h"

namespace yona {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::yona::testing::FileSizeLimit;
using ::yona::testing::message_of;
using ::yona::testing::read_bytes;
using ::yona::testing::TempDir;
using ::yona::testing::write_bytes;

// Files whose content tells their step, so that a mixture of two checkpoints would show.
void save(const std::filesystem::path& run, std::int64_t step, std::size_t bytes = 1000) {
  write_checkpoint(run, step, [&](const std::filesystem::path& folder) {
    for (const char* name : {"config.json", "model.safetensors", "state.json"}) {
      const std::string content = std::to_string(step) + std::string(bytes, 'x');
      FileWriter file(folder / name, static_cast<std::int64_t>(content.size()));
      file.write(content);
      file.close();
    }
  });
}

void damage(const std::filesystem::path& run, std::int64_t step) {
  write_bytes(run / "checkpoints" / ("step-" + std::to_string(step)) / "state.json", "broken");
}

std::vector<std::int64_t> steps(const std::filesystem::path& run) {
  std::vector<std::int64_t> result;
  for (const Checkpoint& checkpoint : list_checkpoints(run)) {
    result.push_back(checkpoint.step);
  }
  return result;
}

std::string latest_link(const std::filesystem::path& run) {
  return std::filesystem::read_symlink(run / "checkpoints" / "latest").string();
}

TEST(Checkpoints, AreNoneInANewFolder) {
  const TempDir run;
  EXPECT_FALSE(latest_checkpoint(run.path()).has_value());
  EXPECT_FALSE(latest_checkpoint(run / "missing").has_value());
  EXPECT_NO_THROW(clean_run(run.path()));
  EXPECT_NO_THROW(prune_checkpoints(run.path(), {}));
}

TEST(Checkpoints, AreListedByNumberNotByText) {
  const TempDir run;
  for (const std::int64_t step : {9, 100, 20}) {
    save(run.path(), step);
  }
  std::filesystem::create_directory(run / "checkpoints/step-x");
  std::filesystem::create_directory(run / "checkpoints/step-007");
  write_bytes(run / "checkpoints/step-5", "a file");
  EXPECT_THAT(steps(run.path()), ElementsAre(9, 20, 100));
  EXPECT_EQ(latest_checkpoint(run.path())->step, 100);
  EXPECT_EQ(latest_link(run.path()), "step-20");  // relative: the run folder may be moved
}

TEST(Checkpoints, OfEqualContentHaveEqualBytes) {
  const TempDir a;
  const TempDir b;
  save(a.path(), 3);
  save(b.path(), 3);
  EXPECT_EQ(read_bytes(a / "checkpoints/step-3/checksums.json"),
            read_bytes(b / "checkpoints/step-3/checksums.json"));
}

TEST(Checkpoints, AreReplacedWhenASavedStepIsReachedAgain) {
  const TempDir run;
  save(run.path(), 5, 10);
  damage(run.path(), 5);
  save(run.path(), 5, 20);
  EXPECT_EQ(read_bytes(run / "checkpoints/latest/state.json"), "5" + std::string(20, 'x'));
  EXPECT_EQ(latest_checkpoint(run.path())->step, 5);
}

TEST(Checkpoints, FallBackToTheNewestThatIsWhole) {
  const TempDir run;
  for (const std::int64_t step : {1, 2, 3}) {
    save(run.path(), step);
  }
  damage(run.path(), 3);
  EXPECT_EQ(latest_checkpoint(run.path())->step, 2);
  std::filesystem::remove(run / "checkpoints/step-2/checksums.json");
  EXPECT_EQ(latest_checkpoint(run.path())->step, 1);
  damage(run.path(), 1);
  EXPECT_THAT(message_of<FormatError>([&] { latest_checkpoint(run.path()); }),
              HasSubstr("all 3 checkpoints are damaged"));
}

TEST(Checkpoints, ArePrunedToThoseKept) {
  const TempDir run;
  for (const std::int64_t step : {1, 2, 3, 4}) {
    save(run.path(), step);
  }
  prune_checkpoints(run.path(), {2, 4, 99});
  EXPECT_THAT(steps(run.path()), ElementsAre(2, 4));
  prune_checkpoints(run.path(), {2});
  EXPECT_THAT(steps(run.path()), ElementsAre(2));
  EXPECT_EQ(latest_link(run.path()), "step-2");
}

TEST(Checkpoints, TheOnlyGoodOneIsNeverPruned) {
  const TempDir run;
  for (const std::int64_t step : {1, 2, 3}) {
    save(run.path(), step);
  }
  damage(run.path(), 3);
  prune_checkpoints(run.path(), {3});
  EXPECT_THAT(steps(run.path()), ElementsAre(2, 3));
  prune_checkpoints(run.path(), {});
  EXPECT_THAT(steps(run.path()), ElementsAre(2));
}

TEST(Checkpoints, TheFirstThatDoesNotFitSaysThatThereIsNone) {
  const TempDir run;
  const FileSizeLimit limit(500);
  EXPECT_THAT(message_of<IoError>([&] { save(run.path(), 1); }),
              AllOf(HasSubstr("saving the checkpoint of step 1"), HasSubstr("config.json"),
                    HasSubstr("1001 bytes were needed"), HasSubstr("no earlier checkpoint")));
}

// A run with one checkpoint on a disk (or under a limit) where a second does not fit.
void expect_that_the_old_one_stands(const std::filesystem::path& run, std::size_t too_many) {
  const std::string message = message_of<IoError>([&] { save(run, 2, too_many); });
  EXPECT_THAT(message, AllOf(HasSubstr("saving the checkpoint of step 2"), HasSubstr("config.json"),
                             HasSubstr(std::to_string(too_many + 1) + " bytes were needed"),
                             HasSubstr("step-1, is intact")));
  EXPECT_EQ(latest_checkpoint(run)->step, 1);
  EXPECT_EQ(latest_link(run), "step-1");
}

TEST(Checkpoints, StandWhenTheNextDoesNotFitTheLimit) {
  const TempDir run;
  save(run.path(), 1);
  const FileSizeLimit limit(5000);
  expect_that_the_old_one_stands(run.path(), 10000);
}

TEST(Checkpoints, StandWhenTheDiskIsFull) {
  const TempDir run;
  if (::mount("tmpfs", run.path().c_str(), "tmpfs", 0, "size=256k") != 0) {
    GTEST_SKIP() << "needs the right to mount a small disk";
  }
  save(run.path(), 1);
  expect_that_the_old_one_stands(run.path(), 1'000'000);
  save(run.path(), 2);
  EXPECT_EQ(latest_checkpoint(run.path())->step, 2);
  ::umount(run.path().c_str());
}

TEST(Checkpoints, StandWhenTheFolderIsNotWritable) {
  const TempDir run;
  save(run.path(), 1);
  std::filesystem::permissions(run.path(), std::filesystem::perms(0555));
  std::filesystem::permissions(run / "checkpoints", std::filesystem::perms(0555));
  const uid_t user = ::geteuid();
  if (user == 0) {
    ASSERT_EQ(::seteuid(65534), 0);  // root may write anywhere
  }
  const std::string message = message_of<IoError>([&] { save(run.path(), 2); });
  ASSERT_EQ(::seteuid(user), 0);
  std::filesystem::permissions(run / "checkpoints", std::filesystem::perms(0755));
  std::filesystem::permissions(run.path(), std::filesystem::perms(0755));
  EXPECT_THAT(message, AllOf(HasSubstr("Permission denied"), HasSubstr("step-1, is intact")));
  EXPECT_EQ(latest_checkpoint(run.path())->step, 1);
}

TEST(Checkpoints, OtherErrorsOfTheFillerPassAndLeaveNothing) {
  const TempDir run;
  EXPECT_THROW(write_checkpoint(run.path(), 1,
                                [](const std::filesystem::path& folder) {
                                  write_bytes(folder / "a", "half");
                                  throw FormatError("not io");
                                }),
               FormatError);
  EXPECT_TRUE(std::filesystem::is_empty(run / "checkpoints"));
}

// Saves one step after the other, each going on from the newest, until it is killed.
[[noreturn]] void save_until_killed(const std::filesystem::path& run) {
  const RunLock lock(run);
  clean_run(run);
  const auto newest = latest_checkpoint(run);
  for (std::int64_t step = newest ? newest->step + 1 : 1;; ++step) {
    save(run, step, 100'000);
    prune_checkpoints(run, {step, step - 1});
  }
}

TEST(Checkpoints, SurviveKillsAtAnyMoment) {
  const TempDir run;
  const auto start = std::chrono::steady_clock::now();
  save(run.path(), 1, 100'000);
  const auto one_save = std::chrono::steady_clock::now() - start;
  std::int64_t before = 1;
  for (int kill = 1; kill <= 15 || before < 4; ++kill) {  // later and later: a fifth of a save more
    const pid_t child = ::fork();
    if (child == 0) {
      save_until_killed(run.path());
    }
    std::this_thread::sleep_for(one_save * kill / 5);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    const auto newest = latest_checkpoint(run.path());
    ASSERT_TRUE(newest.has_value());
    EXPECT_GE(newest->step, before);
    before = newest->step;
    for (const Checkpoint& checkpoint : list_checkpoints(run.path())) {
      EXPECT_NO_THROW(verify_folder(checkpoint.path));
      EXPECT_EQ(read_bytes(checkpoint.path / "state.json"),
                std::to_string(checkpoint.step) + std::string(100'000, 'x'));
    }
  }
  clean_run(run.path());
  for (const auto& entry : std::filesystem::directory_iterator(run / "checkpoints")) {
    EXPECT_NE(entry.path().filename().string().front(), '.') << entry.path();
  }
}

}  // namespace
}  // namespace yona
