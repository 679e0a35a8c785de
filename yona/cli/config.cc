// `yona config`: what can be configured, and what a configuration results in.

#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "yona/base/json.h"
#include "yona/cli/commands.h"
#include "yona/cli/run_flags.h"
#include "yona/tasks/task_kind.h"
#include "yona/tasks/translation/config_keys.h"

namespace yona::cli {

namespace {

struct ConfigFlags {
  RunFlags run;
  bool tasks = false;
  bool keys = false;
  bool json = false;
};

std::string default_text(const ConfigNode& node) {
  if (node.kind != ConfigNode::Kind::list) {
    return node.text.empty() ? "\"\"" : node.text;
  }
  std::vector<std::string> items;
  items.reserve(node.items.size());
  for (const ConfigNode& item : node.items) {
    items.push_back(item.text);
  }
  return fmt::format("[{}]", fmt::join(items, ", "));
}

template <class Owner>
Json json_keys(const std::vector<ConfigKey<Owner>>& keys, const std::string& prefix,
               const Owner& unset = {}) {
  Json list = Json::array();
  for (const ConfigKey<Owner>& key : keys) {
    list.push_back({{"key", prefix + key.name},
                    {"expected", key.expected},
                    {"default", default_text(key.get(unset))},
                    {"meaning", key.meaning}});
  }
  return list;
}

Json all_keys(const std::string& task) {
  RunConfig unset;
  unset.task = task;
  task_kind(task).set_defaults(unset);
  task_kind(task).apply_preset(unset);
  Json list = json_keys(run_config_keys(task), "", unset);
  if (task == "translation") {
    for (const auto& part : {json_keys(corpus_keys(), "data.train[]."),
                             json_keys(validation_set_keys(), "data.valid[].")}) {
      list.insert(list.end(), part.begin(), part.end());
    }
  }
  return list;
}

void print_tasks() {
  for (const TaskKind& kind : task_kinds()) {
    fmt::print("{:<22} {}\n", kind.name, kind.meaning);
  }
}

// One line for each key: name, default, what it takes and means.
void print_keys(const std::string& task) {
  for (const Json& key : all_keys(task)) {
    fmt::print("{:<28} {:<12} {} ({})\n", key.at("key").get<std::string>(),
               key.at("default").get<std::string>(), key.at("meaning").get<std::string>(),
               key.at("expected").get<std::string>());
  }
}

int run(const ConfigFlags& flags) {
  const std::string task = flags.run.task.empty() ? RunConfig().task : flags.run.task;
  if (flags.tasks) {
    print_tasks();
  } else if (flags.json) {
    fmt::print("{}\n", all_keys(task).dump(2));
  } else if (flags.keys) {
    print_keys(task);
  } else {
    fmt::print("{}", to_yaml(resolve(flags.run), YamlStyle::guide));
  }
  return 0;
}

}  // namespace

Command add_config(CLI::App& program) {
  CLI::App* app =
      add_command(program, {"config", "print a configuration to start from, or list every key",
                            "yona config --preset tiny > tiny.yaml\n"
                            "yona train --config tiny.yaml --output run\n"
                            "yona config --keys\n"
                            "yona config --tasks"});
  const auto flags = std::make_shared<ConfigFlags>();
  add_run_flags(*app, flags->run);
  add_switch(*app, flags->tasks, {"--tasks", "", "list the tasks, the values of --task"});
  add_switch(*app, flags->keys,
             {"--keys", "", "list every key of --task: default, meaning, what it takes"});
  add_switch(*app, flags->json, {"--json", "", "the same list as JSON"});
  return {app, [flags] { return run(*flags); }};
}

}  // namespace yona::cli
