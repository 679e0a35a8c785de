#include "yona/tasks/parsing/kind.h"

#include <utility>

#include "yona/tasks/file_checks.h"
#include "yona/tasks/parsing/config_keys.h"
#include "yona/tasks/parsing/task.h"
#include "yona/train/time_plan.h"

namespace yona {

namespace {

void make_treebank_paths_absolute(RunConfig& config) {
  make_absolute(config.parsing.train);
  make_absolute(config.parsing.valid);
}

}  // namespace

TaskKind parsing_kind() {
  return {.name = "parsing",
          .meaning = "find the phrase-structure trees of sentences, as in a treebank",
          .keys = parsing_keys,
          .set_defaults = set_parsing_defaults,
          .apply_preset = [](RunConfig& config) { config.model = parsing_preset(config.preset); },
          .check = check_parsing_config,
          .make_paths_absolute = make_treebank_paths_absolute,
          .check_start = check_parsing_start,
          .file_flags = {{"--train", "data.train"}, {"--valid", "data.valid"}},
          .make = [](RunConfig config, const RunPlace& place) -> std::unique_ptr<Task> {
            return std::make_unique<ParsingTask>(std::move(config), place);
          },
          .planned = planned_length_keys(),
          .recipes = {"paper"}};
}

}  // namespace yona
