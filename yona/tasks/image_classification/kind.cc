#include "yona/tasks/image_classification/kind.h"

#include <utility>

#include "yona/base/error.h"
#include "yona/tasks/image_classification/config_keys.h"
#include "yona/tasks/image_classification/task.h"
#include "yona/train/time_plan.h"

namespace yona {

TaskKind image_classification_kind() {
  return {.name = "image-classification",
          .meaning = "tell which label belongs to a picture",
          .keys = image_classification_keys,
          .set_defaults = set_image_defaults,
          .apply_preset = apply_image_preset,
          .check = check_image_config,
          .make_paths_absolute = make_image_paths_absolute,
          .check_start =
              [](const RunConfig& config, const std::filesystem::path& /*init*/) {
                check(!config.images.train.empty(),
                      "train: there is no training data; give --train, or data.train in the "
                      "configuration");
              },
          .file_flags = {{"--train", "data.train"}, {"--valid", "data.valid"}},
          .make = [](RunConfig config, const RunPlace& place) -> std::unique_ptr<Task> {
            return std::make_unique<ImageClassificationTask>(std::move(config), place);
          },
          .planned = planned_length_keys()};
}

}  // namespace yona
