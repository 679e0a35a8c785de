// --compute-type: the arithmetic of commands that decode.
#pragma once

#include <string>

#include "yona/backend/kernel_args.h"
#include "yona/cli/command.h"

namespace yona::cli {

void add_compute_type(CLI::App& app, std::string& flag);

// What the flag means on the device; auto is bf16 on a GPU and f32 on a CPU. Throws InvalidArgument
// naming the flag.
Precision compute_precision(const std::string& flag, const std::string& device);

}  // namespace yona::cli
