// The tasks that a run can have, by name: `task: translation` in a configuration. Each has its own
// keys, defaults and checks. To add one, see docs/adding-a-task.md.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "yona/config/config_key.h"
#include "yona/tasks/run_config.h"
#include "yona/train/task.h"

namespace yona {

// A flag of `yona train` that names files: another way to write a key. The program's table of all
// such flags, with their help, is in cli/file_flags.cc.
struct FileFlag {
  std::string_view flag;  // "--train"
  std::string_view key;   // "data.train": a path or a list of paths
};

struct TaskKind {
  std::string_view name;
  std::string_view meaning;  // for help: "translate from one language to another"
  // All but `task` itself.
  const ConfigKeys<RunConfig>& (*keys)();
  // What differs from the defaults of RunConfig, before any key is read.
  void (*set_defaults)(RunConfig& config);
  // All model keys as the preset config.preset has them.
  void (*apply_preset)(RunConfig& config);
  // Throws InvalidArgument naming the keys when values do not go together.
  void (*check)(const RunConfig& config);
  void (*make_paths_absolute)(RunConfig& config);
  // Throws InvalidArgument for what cannot be trained, before any work is done.
  void (*check_start)(const RunConfig& config, const std::filesystem::path& init);
  // The files that it takes from the command line, and the keys that they are.
  std::vector<FileFlag> file_flags;
  std::unique_ptr<Task> (*make)(RunConfig config, const RunPlace& place);
  // Gives keys that are not given (RunConfig::is_open) values that suit the amount of data, before
  // the run begins; it leaves a schedule that is given, and models to fine-tune. Null: defaults.
  void (*plan)(RunConfig& config) = nullptr;
  // The same for a model that begins with random weights, where the defaults are those of
  // fine-tuning. Null: defaults.
  void (*plan_new)(RunConfig& config) = nullptr;
  // The keys that these two and train/time_plan.h may choose.
  std::vector<std::string> planned{};
  // Presets with a schedule of their own: naming one keeps it, and its number of updates.
  std::vector<std::string> recipes{};
};

const std::vector<TaskKind>& task_kinds();
std::vector<std::string> task_names();
// Throws InvalidArgument with the list of names.
const TaskKind& task_kind(std::string_view name);

// The keys of a task's configuration, `task` first. config.yaml, --set, `yona config` and
// docs/configuration.md are all made from them: a field that is not here cannot be configured.
const ConfigKeys<RunConfig>& run_config_keys(std::string_view task = "translation");

}  // namespace yona
