// The settings of a resumed run: what its configuration leaves open is as config.yaml in its
// folder has it, where the first start wrote down what it planned.
#pragma once

#include <filesystem>

#include "yona/tasks/run_config.h"
#include "yona/train/run_record.h"

namespace yona {

// Gives keys that a plan chooses (TaskKind::planned; the model's, where the preset is one of them)
// and train.time the values of the file `recorded`, unless they are given; nothing if there is no
// such file. A train.time that is not the recorded one is refused with InvalidArgument, or, with
// changes allowed, leaves train.updates open, to be planned again.
void follow_recorded(RunConfig& config, const std::filesystem::path& recorded, AllowChanges allow);

}  // namespace yona
