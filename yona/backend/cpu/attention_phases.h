// A dilated window on the CPU: within a sentence, tokens whose positions are equal modulo the
// dilation only see each other. So each of these phases is a sentence of its own with a plain
// window, whose rows lie `dilation` rows apart: no row is copied.
#pragma once

#include <functional>

#include "yona/backend/kernel_args.h"

namespace yona::cpu {

// Calls function for every sentence and phase of a call with a dilated window, in a fixed order.
// For the forward pass only `forward` is set. Takes neither a bias nor a prefix mask.
void for_each_phase(const AttentionBackwardArgs& args,
                    const std::function<void(const AttentionBackwardArgs&)>& function);

}  // namespace yona::cpu
