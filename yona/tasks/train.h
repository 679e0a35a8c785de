// A training run by its configuration, from files to a model folder.
#pragma once

#include "yona/tasks/run_config.h"
#include "yona/train/trainer.h"

namespace yona {

// Throws as run_training() does.
TrainResult train(RunConfig config, const TrainerOptions& options);

}  // namespace yona
