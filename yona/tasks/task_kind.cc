#include "yona/tasks/task_kind.h"

#include <map>

#include "yona/base/error.h"
#include "yona/tasks/classification/kind.h"
#include "yona/tasks/image_classification/kind.h"
#include "yona/tasks/language_model/kind.h"
#include "yona/tasks/masked_lm/kind.h"
#include "yona/tasks/parsing/kind.h"
#include "yona/tasks/question_answering/kind.h"
#include "yona/tasks/translation/kind.h"

namespace yona {

namespace {

ConfigKey<RunConfig> task_key() {
  ConfigKey<RunConfig> key =
      config_key("task", &RunConfig::task, word_codec(task_names()), OnResume::fixed,
                 "what the run learns; decides which other keys there are");
  key.role = KeyRole::task;
  return key;
}

}  // namespace

const std::vector<TaskKind>& task_kinds() {
  static const std::vector<TaskKind> kinds{
      translation_kind(),  // the default
      language_model_kind(),
      classification_kind(),
      masked_lm_kind(),
      parsing_kind(),  // §6.3
      image_classification_kind(),
      question_answering_kind(),
  };
  return kinds;
}

std::vector<std::string> task_names() {
  std::vector<std::string> names;
  for (const TaskKind& kind : task_kinds()) {
    names.emplace_back(kind.name);
  }
  return names;
}

const TaskKind& task_kind(std::string_view name) {
  for (const TaskKind& kind : task_kinds()) {
    if (kind.name == name) {
      return kind;
    }
  }
  fail("task: '{}' is not a task; expected {}", name, join_names(task_names()));
}

const ConfigKeys<RunConfig>& run_config_keys(std::string_view task) {
  static const auto all = [] {
    std::map<std::string, ConfigKeys<RunConfig>, std::less<>> by_task;
    for (const TaskKind& kind : task_kinds()) {
      ConfigKeys<RunConfig>& keys = by_task[std::string(kind.name)];
      keys.push_back(task_key());
      append(keys, ConfigKeys<RunConfig>(kind.keys()));
    }
    return by_task;
  }();
  return all.find(task_kind(task).name)->second;
}

}  // namespace yona
