// What this machine can compute with: what `yona info --devices` prints.
#pragma once

#include "yona/base/json.h"

namespace yona::cli {

// {"cpu": {"name", "usable_cpus", "memory_bytes", "instruction_sets", "in_use", "bf16"},
//  "cuda": {"usable", "reason" or "memory_bytes"}}
Json describe_devices();
void print_devices(const Json& devices);

}  // namespace yona::cli
