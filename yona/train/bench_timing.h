// What the benchmarks share: timing and the memory of the process.
#pragma once

#include <cstdint>

#include "yona/base/timing.h"

namespace yona {

// Memory of the process in bytes: now, and the most since the process began or forget_peak_memory()
// was called. 0 where the system does not tell.
std::int64_t resident_memory();
std::int64_t peak_memory();
// False where the system does not allow it.
bool forget_peak_memory();

}  // namespace yona
