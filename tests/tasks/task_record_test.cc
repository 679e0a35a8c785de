#include "yona/tasks/task_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/harness/temp_dir.h"

namespace yona {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(TaskRecord, FilesAreComparedByContentAndNotByPlace) {
  const testing::TempDir folder;
  testing::write_bytes(folder / "a.txt", "one\n");
  testing::write_bytes(folder / "b.txt", "two\n");
  const Json then = recorded_files({folder / "a.txt"});
  EXPECT_THAT(changed_files(then, recorded_files({folder / "a.txt"}), {folder / "a.txt"}, "train"),
              IsEmpty());
  EXPECT_THAT(changed_files(then, recorded_files({folder / "b.txt"}), {folder / "b.txt"}, "train"),
              ElementsAre("corpus train: a.txt → " + (folder / "b.txt").string()));
  EXPECT_THAT(changed_files(then, recorded_files({}), {}, "train"),
              ElementsAre("corpus train: 1 file → 0 files"));
  testing::write_bytes(folder / "a.txt", "two\n");
  EXPECT_THAT(changed_files(then, recorded_files({folder / "a.txt"}), {folder / "a.txt"}, "train"),
              ElementsAre((folder / "a.txt").string() + ": changed"));
}

TEST(TaskRecord, SettingsThatDecideAreCompared) {
  RunConfig config;
  const Json then = recorded_settings(config);
  EXPECT_TRUE(settings_that_differ(then, recorded_settings(config), config.task).empty());
  config.train.seed = 7;
  config.model.d_model = 64;
  const Differences found = settings_that_differ(then, recorded_settings(config), config.task);
  EXPECT_THAT(found.changes, ElementsAre("train.seed: 1 → 7"));
  EXPECT_THAT(found.fixed, ElementsAre("model.d_model: 512 → 64"));
}

}  // namespace
}  // namespace yona
