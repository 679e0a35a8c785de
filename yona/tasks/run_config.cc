// Several sources of configuration made into one, and that one written down again.

#include "yona/tasks/run_config.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>

#include "yona/base/error.h"
#include "yona/config/config_section.h"
#include "yona/config/config_yaml.h"
#include "yona/tasks/task_kind.h"
#include "yona/train/schedule.h"

namespace yona {

namespace {

namespace fs = std::filesystem;

// One value on its way into the configuration; owns what came from the command line.
struct Pending {
  const ConfigKey<RunConfig>* key;
  ConfigNode node;
  ConfigSource source;
};

constexpr std::size_t kLargestFile = std::size_t{1} << 20U;  // whatever the path names: /dev/zero

std::string read_configuration(const fs::path& path) {
  std::error_code error;
  check(fs::exists(path, error), "{}: no such file; --config names a YAML file", path.string());
  check(!fs::is_directory(path, error), "{}: is a folder; --config names a YAML file",
        path.string());
  std::ifstream file(path, std::ios::binary);
  check<IoError>(file.is_open(), "{}: cannot be read", path.string());
  std::string text(kLargestFile + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  check(text.size() <= kLargestFile, "{}: is larger than {} bytes; --config names a YAML file",
        path.string(), kLargestFile);
  return text;
}

struct ConfigFile {
  ConfigNode root = ConfigNode::map();
  ConfigSource source;
};

ConfigFile read_config_file(const fs::path& path) {
  const std::string name = path.string();
  ConfigFile file{parse_yaml(read_configuration(path), name), {"", name, path.parent_path()}};
  check(file.root.kind != ConfigNode::Kind::null,
        "{}: is empty; `yona config` prints one to start from", name);
  return file;
}

// The last one given anywhere. Only values that name a task count: others are refused with the
// rest.
std::string task_of(const ConfigFile& file, const std::vector<ConfigAssignment>& assignments) {
  const std::vector<std::string> names = task_names();
  const auto is_task = [&](const std::string& text) {
    return std::find(names.begin(), names.end(), text) != names.end();
  };
  std::string task = RunConfig().task;
  for (const ConfigMember& member : file.root.members) {
    if (member.name == "task" && is_task(member.value.text)) {
      task = member.value.text;
    }
  }
  for (const ConfigAssignment& assignment : assignments) {
    if (assignment.key == "task" && is_task(assignment.value)) {
      task = assignment.value;
    }
  }
  return task;
}

using RunKeys = ConfigKeys<RunConfig>;

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void append_file(const ConfigFile& file, const RunKeys& keys, std::vector<Pending>& pending) {
  const auto begin = pending.size();
  for (const ConfigEntry& entry : find_entries(file.root, names_of(keys), file.source)) {
    pending.push_back({&keys[entry.key], *entry.node, entry.source});
  }
  std::stable_sort(pending.begin() + static_cast<std::ptrdiff_t>(begin), pending.end(),
                   [](const Pending& a, const Pending& b) { return a.key->role < b.key->role; });
}

// Text from the command line: lists are separated by commas, or written as YAML in brackets.
ConfigNode node_of(const ConfigKey<RunConfig>& key, const ConfigAssignment& assignment) {
  const std::string& text = assignment.value;
  if (key.is_list == ListKey::no) {
    return ConfigNode::scalar(text);
  }
  if (text.starts_with('[')) {
    return parse_yaml(text, assignment.origin);
  }
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) {
    parts.push_back(part);
  }
  return ConfigNode::list(parts);
}

void append_assignment(const ConfigAssignment& assignment, const std::string& task,
                       std::vector<Pending>& pending) {
  const RunKeys& keys = run_config_keys(task);
  const auto key = std::find_if(keys.begin(), keys.end(), [&](const auto& candidate) {
    return candidate.name == assignment.key;
  });
  const bool is_flag =
      assignment.origin.starts_with("--") && !assignment.origin.starts_with("--set");
  check(key != keys.end() || !is_flag, "{}: is not a flag of the task {}, which has no {}",
        assignment.origin, task, assignment.key);
  check(key != keys.end(), "--set: {}", unknown_key(assignment.key, names_of(keys)));
  pending.push_back({&*key, node_of(*key, assignment), {assignment.origin, "", ""}});
}

std::int64_t seconds_of(const Pending& time) {
  RunConfig config;
  time.key->set(config, time.node, time.source);
  return config.train.seconds;
}

// A time on the command line says when to end, over the train.updates of a file; but the file of a
// run that was planned for this time has both, and its updates are what was planned. For another
// time they are planned again, with their warm-up.
void heed_time(const std::vector<Pending>& pending, RunConfig& config) {
  const auto find = [&](std::string_view key, bool in_file) {
    const auto found = std::find_if(pending.begin(), pending.end(), [&](const Pending& value) {
      return value.key->name == key && value.source.file.empty() != in_file;
    });
    return found == pending.end() ? nullptr : &*found;
  };
  const Pending* time = find("train.time", false);
  if (time == nullptr || config.train.seconds == 0) {
    return;
  }
  const Pending* updates = find("train.updates", false);
  check(updates == nullptr,
        "{}: is given together with {}, which also says when the run ends; leave one out",
        time->source.label, updates == nullptr ? "" : updates->source.label);
  const Pending* recorded = find("train.time", true);
  const std::int64_t planned_for = recorded == nullptr ? 0 : seconds_of(*recorded);
  if (planned_for == config.train.seconds) {
    return;
  }
  const bool was_planned = planned_for > 0 && find("train.updates", true) != nullptr;
  if (was_planned && find("train.warmup", false) == nullptr) {
    config.given->erase("train.warmup");
  }
  config.given->erase("train.updates");
}

}  // namespace

RunConfig resolve_config(const fs::path& path, const std::vector<ConfigAssignment>& assignments) {
  const ConfigFile file = path.empty() ? ConfigFile{} : read_config_file(path);
  RunConfig config;
  config.task = task_of(file, assignments);
  const TaskKind& kind = task_kind(config.task);
  kind.set_defaults(config);
  kind.apply_preset(config);
  const RunKeys& keys = run_config_keys(config.task);
  std::vector<Pending> pending;
  append_file(file, keys, pending);
  for (const ConfigAssignment& assignment : assignments) {
    append_assignment(assignment, config.task, pending);
  }
  const auto is_first = [](const Pending& value) { return value.key->role <= KeyRole::preset; };
  std::stable_partition(pending.begin(), pending.end(), is_first);
  for (const Pending& value : pending) {
    value.key->set(config, value.node, value.source);
  }
  config.given.emplace();
  for (const Pending& value : pending) {
    config.given->insert(value.key->name);
  }
  heed_time(pending, config);
  return config;
}

void check_run_config(const RunConfig& config) {
  // What may still be planned is checked then.
  if (config.is_open("train.updates") || config.is_open("train.warmup")) {
    check_schedule(config.train.schedule);
  } else {
    check_schedule(config.train);
  }
  task_kind(config.task).check(config);
}

std::vector<std::string> config_warnings(const RunConfig& config) {
  std::vector<std::string> warnings;
  const ScheduleConfig& schedule = config.train.schedule;
  if (schedule.kind == ScheduleKind::paper && schedule.rate < 0.01 &&
      !config.is_open("train.learning_rate")) {
    warnings.push_back(fmt::format(
        "train.learning_rate {} is a factor on the paper's schedule, where 1 is usual; for a "
        "highest rate of {} set train.schedule to inverse_sqrt, cosine, linear or constant",
        schedule.rate, schedule.rate));
  }
  return warnings;
}

RunConfig with_absolute_paths(RunConfig config) {
  task_kind(config.task).make_paths_absolute(config);
  return config;
}

std::string to_yaml(const RunConfig& config, YamlStyle style) {
  RunConfig unchanged;
  unchanged.task = config.task;
  task_kind(config.task).set_defaults(unchanged);
  unchanged.preset = config.preset;
  task_kind(config.task).apply_preset(unchanged);
  ConfigNode root = ConfigNode::map();
  for (const ConfigKey<RunConfig>& key : run_config_keys(config.task)) {
    if (key.role == KeyRole::shorthand) {
      continue;
    }
    ConfigMember member{key.name, key.get(config)};
    if (style == YamlStyle::guide) {
      const bool repeats_preset =
          key.name.starts_with("model.") && member.value == key.get(unchanged);
      const bool is_planned =
          contains(task_kind(config.task).planned, key.name) && config.is_open(key.name);
      member.disabled = repeats_preset || is_planned;
      member.comment =
          fmt::format("{} ({}){}", key.meaning, key.expected,
                      is_planned ? "; follows from data and time unless it is set" : "");
    }
    insert_dotted(root, key.name, std::move(member));
  }
  return to_yaml(root);
}

}  // namespace yona
