// The task language-model: its keys, its defaults and its checks.
#pragma once

#include "yona/tasks/task_kind.h"

namespace yona {

TaskKind language_model_kind();

}  // namespace yona
