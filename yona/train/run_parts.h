// What the trainer owns and its parts (training_step.h, validations.h, run_saver.h) work on. It
// outlives them.
#pragma once

#include "yona/nn/parameters.h"
#include "yona/train/finite_guard.h"
#include "yona/train/optimiser.h"
#include "yona/train/reporters.h"
#include "yona/train/run_start.h"

namespace yona {

struct RunParts {
  const TrainerOptions& options;
  RunStart& start;
  Parameters& parameters;
  Optimiser& optimiser;
  FiniteGuard& guard;
  Reporters& reporter;
};

}  // namespace yona
