// Question answering in the list of tasks.
#pragma once

#include "yona/tasks/task_kind.h"

namespace yona {

TaskKind question_answering_kind();

}  // namespace yona
