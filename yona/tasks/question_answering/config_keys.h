// Keys, defaults and checks of question answering.
#pragma once

#include "yona/tasks/run_config.h"
#include "yona/tasks/task_kind.h"

namespace yona {

const ConfigKeys<RunConfig>& question_answering_keys();
void set_question_defaults(RunConfig& config);
void check_question_config(const RunConfig& config);
void make_question_paths_absolute(RunConfig& config);

}  // namespace yona
