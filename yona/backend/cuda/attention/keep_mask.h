// What the backend says of attention's decisions: Backend::attention_decision_bytes().
#pragma once

#include <cstdint>

#include "yona/backend/kernel_args.h"

namespace yona::cuda {

std::int64_t wanted_attention_decision_bytes(const AttentionArgs& args);

}  // namespace yona::cuda
