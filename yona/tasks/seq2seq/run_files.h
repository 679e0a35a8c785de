// Files of a model that lie in the folder of its run.
#pragma once

#include "yona/train/task.h"

namespace yona {

// A run that begins again leaves nothing of a model with other sub-words, nor their checksums.
void remove_old_model(const RunPlace& place);

}  // namespace yona
