#include "yona/tasks/classification/kind.h"

#include <utility>

#include "yona/tasks/classification/new_classifier_plan.h"
#include "yona/tasks/classification/task.h"
#include "yona/tasks/encoder/encoder_keys.h"

namespace yona {

TaskKind classification_kind() {
  return {.name = "classification",
          .meaning = "tell which label, or which number, belongs to a text or a pair of texts",
          .keys = classification_keys,
          .set_defaults = set_encoder_defaults,
          .apply_preset = apply_encoder_preset,
          .check = check_encoder_config,
          .make_paths_absolute = make_text_paths_absolute,
          .check_start = check_classification_start,
          .file_flags = {{"--train", "data.train"}, {"--valid", "data.valid"}},
          .make = [](RunConfig config, const RunPlace& place) -> std::unique_ptr<Task> {
            return std::make_unique<ClassificationTask>(std::move(config), place);
          },
          .plan_new = plan_new_classifier,
          .planned = planned_classification_keys()};
}

}  // namespace yona
