#include "yona/tasks/task_kind.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/tasks/config_sources.h"

namespace yona {
namespace {

using ::testing::HasSubstr;

TEST(TaskKind, TranslationIsTheDefaultAndIsRecorded) {
  EXPECT_EQ(resolve_config("", {}).task, "translation");
  EXPECT_THAT(to_yaml(resolve_config("", {})), HasSubstr("task: translation\npreset: base\n"));
}

TEST(TaskKind, OthersAreRefusedWithTheList) {
  const auto refused = [](const std::function<void()>& call) {
    return testing::message_of<InvalidArgument>(call);
  };
  EXPECT_THAT(refused([] { resolve_config("", {testing::set("task", "cooking")}); }),
              HasSubstr("--set task: expected"));
  EXPECT_THAT(testing::yaml_error("task: cooking"), HasSubstr("c.yaml:1: task: expected"));
  EXPECT_THAT(refused([] { task_kind("cooking"); }),
              HasSubstr("'cooking' is not a task; expected translation"));
}

TEST(TaskKind, EachHasKeysOfItsOwnWithTaskInFront) {
  for (const TaskKind& kind : task_kinds()) {
    const ConfigKeys<RunConfig>& keys = run_config_keys(kind.name);
    EXPECT_EQ(keys.front().name, "task");
    EXPECT_EQ(keys.size(), kind.keys().size() + 1);
    EXPECT_FALSE(kind.meaning.empty());
  }
}

}  // namespace
}  // namespace yona
