// The preset that a plan chooses where the user named none (TaskKind::plan, TaskKind::plan_new).
#pragma once

#include <string_view>

#include "yona/tasks/run_config.h"

namespace yona {

// Gives the model the shape of this preset, except for the keys model.* that were given.
void apply_planned_preset(RunConfig& config, std::string_view name);

}  // namespace yona
