#include "yona/tasks/translation/kind.h"

#include <utility>

#include "yona/tasks/translation/config_checks.h"
#include "yona/tasks/translation/config_keys.h"
#include "yona/tasks/translation/data_plan.h"
#include "yona/tasks/translation/task.h"

namespace yona {

TaskKind translation_kind() {
  return {.name = "translation",
          .meaning = "translate lines of text from one language to another",
          .keys = translation_keys,
          .set_defaults = [](RunConfig&) {},
          .apply_preset = [](RunConfig& config) { config.model = preset(config.preset); },
          .check = check_translation_config,
          .make_paths_absolute = [](RunConfig& config) { make_paths_absolute(config.data); },
          .check_start = check_translation,
          .file_flags = {{"--train-src", "data.train"},
                         {"--train-tgt", "data.train"},
                         {"--train-tsv", "data.train"},
                         {"--valid-src", "data.valid"},
                         {"--valid-tgt", "data.valid"}},
          .make = [](RunConfig config, const RunPlace& place) -> std::unique_ptr<Task> {
            return std::make_unique<TranslationTask>(std::move(config), place);
          },
          .plan = plan_translation,
          .planned = planned_translation_keys(),
          .recipes = {"base", "big"}};
}

}  // namespace yona
