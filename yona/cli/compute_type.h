// --compute-type and --batch-tokens of commands that decode: what suits the device.
#pragma once

#include <string>

#include "yona/cli/command.h"
#include "yona/decode/compute_type.h"

namespace yona::cli {

void add_compute_type(CLI::App& app, std::string& flag);

// choose_compute_type() of the flag's value. Throws InvalidArgument naming the flag.
ComputeType compute_type(const std::string& flag, const std::string& device);

// --batch-tokens: source tokens decoded together, times the beam.
// `on_cpu`: the default there.
void add_batch_tokens(CLI::App& app, std::string& flag, const std::string& on_cpu = "4096");
// Empty: 4096, on a GPU 65536. Throws InvalidArgument.
std::int64_t decode_batch_tokens(const std::string& flag, const std::string& device);

}  // namespace yona::cli
