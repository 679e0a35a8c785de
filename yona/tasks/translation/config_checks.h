// Whether the settings of a translation run go together, and its paths.
#pragma once

#include "yona/tasks/run_config.h"

namespace yona {

// Throws InvalidArgument naming the keys when values do not go together, or a file that is named
// does not exist.
void check_translation_config(const RunConfig& config);

// Every path of data.* absolute.
void make_paths_absolute(DataConfig& data);

}  // namespace yona
