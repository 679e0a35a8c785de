// Rows in the order of their ids, for sums over rows of one id.
#pragma once

#include <cstdint>

#include "yona/backend/cuda/runtime/exec.h"

namespace yona::cuda {

struct SortedIds {
  const std::int32_t* ids = nullptr;   // ascending
  const std::int32_t* rows = nullptr;  // of each id; ascending among equals
};

// Sorts ids in [0, bound). The result lives in the scratch memory, until the next call of begin().
SortedIds sort_ids(const std::int32_t* ids, std::int64_t count, std::int64_t bound, CudaExec& exec);

}  // namespace yona::cuda
