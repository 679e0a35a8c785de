#include "yona/cli/file_flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/tasks/task_kind.h"

#include "tests/cli/program.h"

namespace yona::testing {
namespace {

using ::testing::HasSubstr;

TEST(FileFlags, AFlagOfAnotherTaskIsRefusedWithThoseOfThisOne) {
  const ProgramResult result = run_yona({"config", "--train", "a.txt"});
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(result.err,
            "yona: --train: is not a flag of the task translation, which takes --train-src, "
            "--train-tgt, --train-tsv, --valid-src and --valid-tgt\n");
}

TEST(FileFlags, EachTasksFlagsAreKeysOfIt) {
  for (const TaskKind& kind : task_kinds()) {
    ASSERT_FALSE(kind.file_flags.empty()) << kind.name;
    for (const FileFlag& flag : kind.file_flags) {
      const auto& keys = run_config_keys(kind.name);
      EXPECT_TRUE(std::any_of(keys.begin(), keys.end(),
                              [&](const auto& key) { return key.name == flag.key; }))
          << kind.name << " " << flag.flag;
    }
  }
}

TEST(FileFlags, TheListOfTasksHasTheirNamesAndMeanings) {
  const ProgramResult result = run_yona({"config", "--tasks"});
  EXPECT_EQ(result.code, 0) << result.err;
  for (const TaskKind& kind : task_kinds()) {
    EXPECT_THAT(result.out, HasSubstr(std::string(kind.name) + " "));
    EXPECT_THAT(result.out, HasSubstr(std::string(kind.meaning) + "\n"));
  }
}

}  // namespace
}  // namespace yona::testing
