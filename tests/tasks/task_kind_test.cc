#include "yona/tasks/task_kind.h"

#include <fmt/format.h>
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
    EXPECT_THAT(kind.planned, ::testing::Contains("train.updates")) << kind.name;  // --for
  }
}

std::string default_in_row(const ConfigNode& value) {
  if (value.kind != ConfigNode::Kind::list) {
    return value.text.empty() ? "empty" : fmt::format("`{}`", value.text);
  }
  std::vector<std::string> items;
  for (const ConfigNode& item : value.items) {
    items.push_back(item.text);
  }
  return fmt::format("`[{}]`", fmt::join(items, ", "));
}

// The shared tables are those of translation; a section of each other task has what differs.
TEST(TaskKind, EachKeyHasItsRowInTheDocumentation) {
  const std::string document = testing::read_bytes(YONA_SOURCE_DIR "/docs/configuration.md");
  const std::string shared = document.substr(0, document.find("\n## Task "));
  for (const TaskKind& kind : task_kinds()) {
    const std::size_t begin = document.find(fmt::format("\n## Task {}\n", kind.name));
    ASSERT_TRUE(kind.name == "translation" || begin != document.npos) << kind.name;
    const std::string section =
        begin == document.npos ? ""
                               : document.substr(begin, document.find("\n## ", begin + 1) - begin);
    RunConfig unset;
    unset.task = kind.name;
    kind.set_defaults(unset);
    kind.apply_preset(unset);
    for (const ConfigKey<RunConfig>& key : kind.keys()) {
      const std::string row =
          fmt::format("\n| `{}` | {} | {} | {} |\n", key.name, default_in_row(key.get(unset)),
                      key.expected, key.meaning);
      EXPECT_TRUE(section.find(row) != row.npos || shared.find(row) != row.npos)
          << kind.name << ": " << row;
    }
  }
}

}  // namespace
}  // namespace yona
