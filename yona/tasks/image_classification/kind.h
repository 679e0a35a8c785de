// Image classification in the list of tasks.
#pragma once

#include "yona/tasks/task_kind.h"

namespace yona {

TaskKind image_classification_kind();

}  // namespace yona
