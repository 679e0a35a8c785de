#include "yona/io/folder_update.h"

#include <chrono>
#include <csignal>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/io/atomic_file.h"
#include "yona/io/checksums.h"

#include "tests/harness/temp_dir.h"

namespace yona {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::yona::testing::message_of;
using ::yona::testing::read_bytes;
using ::yona::testing::TempDir;
using ::yona::testing::write_bytes;

void update(const fs::path& folder, char letter) {
  FolderUpdate update(folder);
  write_bytes(update.path() / "config.json", std::string(10, letter));
  write_bytes(update.path() / "model.safetensors", std::string(200'000, letter));
  update.commit();
}

TEST(FolderUpdate, ReplacesFilesAndRecordsThem) {
  const TempDir dir;
  write_bytes(dir / "other", "stays");
  update(dir.path(), 'a');
  update(dir.path(), 'b');
  EXPECT_EQ(read_bytes(dir / "config.json"), "bbbbbbbbbb");
  EXPECT_EQ(read_bytes(dir / "other"), "stays");
  EXPECT_NO_THROW(verify_folder(dir.path()));
  EXPECT_EQ(std::distance(fs::directory_iterator(dir.path()), {}), 4);
  write_bytes(dir / "model.safetensors", std::string(200'000, 'c'));
  EXPECT_THAT(message_of<FormatError>([&] { verify_folder(dir.path()); }),
              HasSubstr("model.safetensors is damaged"));
}

TEST(FolderUpdate, ChangesNothingBeforeItIsCommitted) {
  const TempDir dir;
  update(dir.path(), 'a');
  {
    const FolderUpdate dropped(dir.path());
    write_bytes(dropped.path() / "model.safetensors", "half");
  }
  EXPECT_EQ(read_bytes(dir / "model.safetensors"), std::string(200'000, 'a'));
  EXPECT_NO_THROW(verify_folder(dir.path()));
}

TEST(FolderUpdate, KnowsAFileThatWasThereBeforeChecksumsWere) {
  const TempDir dir;
  write_bytes(dir / "model.safetensors", "of version 0.1");
  const FileChecksum before = checksum_file(dir / "model.safetensors");
  update(dir.path(), 'a');
  EXPECT_EQ(Manifest::find(dir.path())->fault("model.safetensors", before), "");
}

// Killed at any moment, the folder agrees with its checksums.
TEST(FolderUpdate, SurvivesKills) {
  const TempDir dir;
  update(dir.path(), 'a');
  for (int round = 0; round < 60; ++round) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      for (char letter = 'a';; letter = letter == 'z' ? 'a' : static_cast<char>(letter + 1)) {
        update(dir.path(), letter);
      }
    }
    std::this_thread::sleep_for(std::chrono::microseconds(round * 731 % 20'000));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    ASSERT_EQ(message_of<Error>([&] { verify_folder(dir.path()); }), "") << "round " << round;
    remove_leftovers(dir.path());
  }
}

}  // namespace
}  // namespace yona
