// Keys, defaults and checks of image classification.
#pragma once

#include "yona/tasks/run_config.h"
#include "yona/tasks/task_kind.h"

namespace yona {

const ConfigKeys<RunConfig>& image_classification_keys();
void set_image_defaults(RunConfig& config);
void apply_image_preset(RunConfig& config);
void check_image_config(const RunConfig& config);
void make_image_paths_absolute(RunConfig& config);

}  // namespace yona
