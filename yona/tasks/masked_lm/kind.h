// Masked language modelling in the list of tasks.
#pragma once

#include "yona/tasks/task_kind.h"

namespace yona {

TaskKind masked_lm_kind();

}  // namespace yona
