// The memory of attention's keep mask: Backend::keep_mask_bytes().
#pragma once

#include <cstdint>

#include "yona/backend/kernel_args.h"

namespace yona::cuda {

std::int64_t wanted_keep_mask_bytes(const AttentionArgs& args);

}  // namespace yona::cuda
