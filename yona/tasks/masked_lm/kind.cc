#include "yona/tasks/masked_lm/kind.h"

#include <utility>

#include "yona/base/error.h"
#include "yona/tasks/encoder/encoder_keys.h"
#include "yona/tasks/masked_lm/task.h"
#include "yona/train/time_plan.h"

namespace yona {

namespace {

void check_masked_lm_start(const RunConfig& config, const std::filesystem::path& /*init*/) {
  check(!config.texts.train.empty(),
        "train: there is no training data; give --train, or data.train in the configuration");
}

}  // namespace

TaskKind masked_lm_kind() {
  return {.name = "masked-lm",
          .meaning = "predict masked words of plain text, as BERT is pre-trained",
          .keys = masked_lm_keys,
          .set_defaults =
              [](RunConfig& config) {
                set_encoder_defaults(config);
                config.train.updates = 100000;
                config.train.schedule.rate = 5e-4;
                config.train.schedule.warmup = 2000;
                config.train.beta2 = 0.98;
                config.texts.max_length = 128;
              },
          .apply_preset = apply_encoder_preset,
          .check = check_encoder_config,
          .make_paths_absolute = make_text_paths_absolute,
          .check_start = check_masked_lm_start,
          .file_flags = {{"--train", "data.train"}, {"--valid", "data.valid"}},
          .make = [](RunConfig config, const RunPlace& place) -> std::unique_ptr<Task> {
            return std::make_unique<MaskedLmTask>(std::move(config), place);
          },
          .planned = planned_length_keys()};
}

}  // namespace yona
