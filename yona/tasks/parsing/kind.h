// Constituency parsing in the list of tasks.
#pragma once

#include "yona/tasks/task_kind.h"

namespace yona {

TaskKind parsing_kind();

}  // namespace yona
